// The verdict in short, the table of levels (a row for each guarantee, a column for what else
// binds), and what the history consists of.

const levelFilter = {
  verdicts: new Set(kVerdicts.map((each) => each[0])),
  words: ''
};

/** Verdicts that need a reason. */
const kNeither = [['unknown', 'not decided'], ['not-applicable', 'not applicable (n/a)']];

const listed = (names) => (names.length ? names.join(', ') : 'none');

/** The verdict in short, as the text form begins. */
function drawSummary() {
  document.title = `${data.file} - Isolde report`;
  byId('title').textContent = data.file === '-' ? 'Standard input' : data.file;
  byId('setting').textContent = data.setting ? `Recorded from ${data.setting}.` : '';
  for (const [part, lead, text] of summaryParts(data)) {
    // Advice beyond the first comes after the picture, which should be in sight.
    const place = part === 'advice' ? byId(part).appendChild(el('p')) : byId(part);
    if (lead) place.append(el('b', {}, lead));
    place.append(text);
  }
  for (const id of ['setting', 'totals', 'meaning', 'remedy', 'one-change', 'promise'])
    byId(id).hidden = byId(id).textContent === '';
  byId('advice').hidden = byId('advice').textContent === '';
}

function drawHistory() {
  if (data.loaded) drawCounts();
  drawRun();
  if (data.notes.length > 0)
    byId('notes').append(el('h3', {}, 'Left out or assumed'), facts(data.notes));
  byId('history').hidden = !data.loaded && !data.run && data.notes.length === 0;
}

/** Repeatable read falls with serializable, and is not named for itself. */
function besideWeakest() {
  const broken = data.levels.some(
      (level) => level.name === 'repeatable-read' && level.verdict === 'violated');
  return broken && data.weakest.includes('serializable') ?
      ' (and repeatable-read, the same but for conditions)' :
      '';
}

/** Between which levels the line runs, and why some are on neither side of it. */
function drawBounds() {
  const lines = [];
  if (data.levels.length > 1) {
    lines.push(
        `Strongest that holds: ${listed(data.strongest)}`,
        `Weakest violated: ${listed(data.weakest)}${besideWeakest()}`);
  }
  for (const [verdict, text] of kNeither) {
    const levels = data.levels.filter((level) => level.verdict === verdict);
    for (const {key, values} of d3.nest().key((level) => level.reason).entries(levels))
      lines.push(`${plural(values.length, 'level')} ${text}: ${key}`);
  }
  byId('bounds').replaceChildren(facts(lines));
}

function drawCounts() {
  const counts = data.counts;
  const tiles = [
    ['transactions', count(counts.transactions)], ['committed', count(counts.committed)],
    ['aborted', count(counts.aborted)], ['outcome unknown', count(counts.indeterminate)],
    ['sessions', count(counts.sessions)], ['keys', count(counts.keys)],
    ['reads', count(counts.reads)], ['writes', count(counts.writes)], ['format', data.format]
  ];
  if (counts.span_ns !== null) {
    tiles.push(
        ['from first to last', duration(counts.span_ns)],
        ['most at once', count(counts.open_max)]);
  }
  byId('evidence').textContent = `Evidence: ${data.evidence}.`;
  for (const [name, value] of tiles) {
    byId('counts').append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  }
}

function drawRun() {
  const run = data.run;
  if (!run) return;
  const lines = [
    `Database: ${run.database} (${run.version})`,
    `Requested isolation: ${run.isolation}; workload ${run.workload}, seed ${run.seed}`
  ];
  if (run.faults)
    lines.push(
        `${plural(run.faults, 'fault')} injected, ${plural(run.reconnects, 'reconnect')}`);
  if (run.given_up) lines.push(`${plural(run.given_up, 'transaction')} given up`);
  for (const [reason, times] of run.reasons) lines.push(`${plural(times, 'time')}: ${reason}`);
  if (run.stopped) lines.push(`Ended early: ${run.stopped}`);
  byId('run').append(el('h3', {}, 'The run'), facts(lines));
}

function cell(level) {
  const edge = data.strongest.includes(level.name) || data.weakest.includes(level.name);
  const chip = el(
      'button', {
        type: 'button',
        class: `chip ${level.verdict}${edge ? ' edge' : ''}`,
        'data-level': level.name,
        'aria-label': `${level.name}: ${level.verdict}${level.promised ? ', promised' : ''}`,
        title: level.reason ? `${level.name}: ${level.reason}` : level.name,
        onclick: () => showLevel(level)
      },
      (verdictText.get(level.verdict) || level.verdict) + (level.promised ? ', promised' : ''));
  level.chip = chip;
  return chip;
}

const columnOf = (level) => (level.real_time ? 2 : level.session_order ? 1 : 0);

function drawMatrix() {
  const families = d3.nest().key((level) => level.family).entries(data.levels);
  const body = el('tbody');
  for (const {key, values} of families) {
    const cells = [el('td'), el('td'), el('td')];
    for (const level of values) cells[columnOf(level)].append(cell(level));
    const row = el('tr', {}, el('th', {scope: 'row'}, key), ...cells);
    for (const level of values) level.row = row;
    body.append(row);
  }
  const heads = ['Guarantee', 'plain', 'session order', 'real time'];
  byId('matrix').append(
      el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', {scope: 'col'}, head)))),
      body);
}

function filterLevels() {
  const rows = new Map();
  for (const level of data.levels) {
    const words = `${level.name} ${level.alias}`.toLowerCase();
    const shown = levelFilter.verdicts.has(level.verdict) && words.includes(levelFilter.words);
    level.chip.classList.toggle('dim', !shown);
    rows.set(level.row, rows.get(level.row) || shown);
  }
  for (const [row, shown] of rows) row.classList.toggle('hidden', !shown);
}

function showLevel(level) {
  for (const other of data.levels) other.chip.classList.toggle('on', other === level);
  const box = byId('level-info');
  box.replaceChildren(
      el('b', {}, level.name),
      `: ${level.summary}. ${capital(level.verdict)}` +
          (level.reason ? `: ${level.reason}.` : '.'));
  if (level.story === null) return;
  box.append(' ', el('a', {href: '#story', onclick: () => showStory(level.story)}, 'Show why'));
}

function startLevels() {
  drawBounds();
  drawMatrix();
  byId('columns').textContent = data.columns;
  byId('settings').textContent = data.settings;
  byId('verdicts').closest('.toolbar').hidden = data.levels.length < 2;
  const present =
      kVerdicts.filter(([verdict]) => data.levels.some((level) => level.verdict === verdict));
  for (const [verdict, text] of present) {
    const button =
        el('button', {
          type: 'button',
          'aria-pressed': 'true',
          onclick: () => {
            const set = levelFilter.verdicts;
            if (!set.delete(verdict)) set.add(verdict);
            button.setAttribute('aria-pressed', set.has(verdict));
            filterLevels();
          }
        },
           text);
    byId('verdicts').append(button);
  }
  byId('level-search').addEventListener('input', (event) => {
    levelFilter.words = event.target.value.trim().toLowerCase();
    filterLevels();
  });
}
