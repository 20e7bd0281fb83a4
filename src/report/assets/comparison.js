// Two histories beside each other: the object of `isolde compare --json`, as tables.

const kSides = ['A', 'B'];

const kPresence = new Map([
  ['occurs', ['violated', '\u2717 occurs']], ['not seen', ['holds', '\u2713 not seen']],
  ['not known', ['unknown', '? not known']]
]);

function sideHeading(tag, index) {
  return el(tag, {}, el('b', {class: 'side'}, kSides[index]), ` ${data.sides[index].title}`);
}

function drawSides() {
  document.title = `${data.sides.map((side) => side.title).join(' and ')} - Isolde comparison`;
  byId('difference').textContent = data.difference;
  data.sides.forEach((side, index) => {
    const box = el('article', {}, sideHeading('h2', index));
    if (side.setting) box.append(el('p', {class: 'caption'}, `Recorded from ${side.setting}.`));
    for (const [part, lead, text] of summaryParts(side))
      box.append(el('p', {class: part}, el('b', {}, lead), text));
    byId('sides').append(box);
  });
}

/** Rows of a name and what stands for A and B; `differs` marks one. */
function drawTable(id, what, rows) {
  const heads = [what, ...kSides, ''];
  byId(id).append(
      el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', {scope: 'col'}, head)))),
      el('tbody', {},
         ...rows.map(
             ({name, cells, differs}) =>
                 el('tr', {class: differs ? 'differs' : null}, el('th', {scope: 'row'}, name),
                    ...cells.map((cell) => el('td', {}, cell)),
                    el('td', {title: differs ? 'differs' : null}, differs ? '\u2260' : '')))));
}

const chip = (kind, text) => el('span', {class: `chip ${kind}`}, text);

function levelChip(level, index) {
  const verdict = level.verdicts[index];
  const more = level.texts[index].slice(verdict.length);  // ", untried"
  return chip(level.untried[index] ? 'unknown' : verdict, verdictText.get(verdict) + more);
}

function drawTables() {
  drawTable(
      'anomaly-table', 'Anomaly',
      data.anomalies.map(({name, presence}) => ({
                           name,
                           differs: presence[0] !== presence[1],
                           cells: presence.map((each) => chip(...kPresence.get(each)))
                         })));
  drawTable('rate-table', 'Rate', data.rates.map(({name, values}) => ({name, cells: values})));
  drawTable(
      'level-table', 'Level',
      data.levels.map((level) => ({
                        name: level.name,
                        differs: level.differs,
                        cells: kSides.map((_, index) => levelChip(level, index))
                      })));
}

function startFilter() {
  const same = data.levels.filter((level) => !level.differs).length;
  const box = byId('only-different');
  const filter = () => {
    byId('level-table').classList.toggle('only-different', box.checked);
    byId('same').textContent = box.checked && same > 0 ? `the same at ${same}` : '';
  };
  box.checked = same < data.levels.length;
  box.disabled = same === data.levels.length;
  box.addEventListener('change', filter);
  filter();
}

/** Of a side without violations that are explained: limits may have left no room for that. */
const noViolation = (_, index) =>
    data.levels.some(({verdicts}) => verdicts[index] === 'violated') ?
    'no violation was explained' :
    'no level is violated';

/**
 * A part of the page with a list of each side, `none` for an empty one; hidden where both are.
 */
function drawOfBoth(section, list, none, linesOf) {
  const lines = data.sides.map(linesOf);
  byId(section).hidden = lines.every((each) => each.length === 0);
  lines.forEach(
      (each, index) => byId(list).append(
          el('article', {}, sideHeading('h3', index),
             facts(each.length > 0 ? each : [none(data.sides[index], index)]))));
}

drawSides();
drawTables();
startFilter();
drawOfBoth(
    'stories', 'story-sides', noViolation,
    (side) => side.violations.map(
        ({statement, levels}) => `${capital(statement)}. Violates ${levels.join(', ')}.`));
drawOfBoth('notes', 'note-sides', () => 'nothing', (side) => side.not_checked);
byId('nav-stories').hidden = byId('stories').hidden;
startTheme();
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key !== 'd') return;
  toggleTheme();
});
