// One database at all its isolation settings: the object of `isolde survey --json`, as a table
// and, for each cell, what was played and what it shows.

/** How the outcomes look: like verdicts on the anomaly's absence. */
const kLooks = new Map([['occurs', 'violated'], ['other', 'violated'], ['unknown', 'unknown']]);
const kMarks = new Map([['occurs', '\u2717 '], ['other', '\u2717 '], ['unknown', '? ']]);

const scenarioOf = new Map(data.scenarios.map((scenario) => [scenario.name, scenario]));
const cellId = (setting, cell) => `cell-${data.settings.indexOf(setting)}-${cell.scenario}`;

function outcomeChip(tag, cell, attributes = {}) {
  const look = kLooks.get(cell.outcome) || 'holds';
  const mark = kMarks.has(cell.outcome) ? kMarks.get(cell.outcome) : '\u2713 ';
  return el(
      tag, {class: `chip ${look}`, title: data.outcomes[cell.outcome], ...attributes},
      mark + cell.outcome);
}

/** Opens what a link leads to, which may be folded. */
function unfold(id) {
  const target = byId(id);
  if (target && target.tagName === 'DETAILS') target.open = true;
}

/**
 * A row for each scenario: there are many of these, and few settings, so that the table fits.
 */
/** "aborted read": beside the cells where there is room, else below the scenario. */
const named = (scenario) => scenario.title.split(':')[0];

function drawTable() {
  const heads = data.settings.map((setting) => el('th', {scope: 'col'}, setting.isolation));
  const rows = data.scenarios.map(
      (scenario, at) =>
          el('tr', {},
             el('th', {scope: 'row'},
                el('a', {href: `#scenario-${scenario.name}`, title: scenario.title},
                   scenario.column),
                el('span', {class: 'what'}, named(scenario))),
             ...data.settings.map((setting) => {
               const cell = setting.cells[at];
               const id = cellId(setting, cell);
               const way =
                   cell.page ? {href: cell.page} : {href: `#${id}`, onclick: () => unfold(id)};
               return el('td', {}, outcomeChip('a', cell, way));
             }),
             el('td', {class: 'caption'}, named(scenario))));
  byId('cells').append(
      el('thead', {},
         el('tr', {}, el('th', {scope: 'col'}, 'Scenario'), ...heads, el('td', {}))),
      el('tbody', {}, ...rows));
  const seen = new Set(data.settings.flatMap(({cells}) => cells.map(({outcome}) => outcome)));
  for (const [outcome, meaning] of Object.entries(data.outcomes)) {
    if (seen.has(outcome))
      byId('legend').append(
          el('dt', {}, outcomeChip('span', {outcome})), el('dd', {}, meaning));
  }
}

function commandLine(command) {
  return command ? [el('pre', {class: 'picture'}, `$ ${command}`)] : [];
}

function drawCell(setting, cell) {
  const scenario = scenarioOf.get(cell.scenario);
  const box =
      el('details', {id: cellId(setting, cell), class: 'cell'},
         el('summary', {}, el('b', {}, scenario.column), ' ', outcomeChip('span', cell),
            ` ${capital(cell.how)}.`));
  box.append(el('p', {class: 'caption'}, `${scenario.about}`));
  if (cell.transcript) box.append(el('pre', {class: 'picture'}, cell.transcript));
  if (cell.violation) {
    box.append(
        el('p', {}, `Violates ${cell.violation.level}; the proof is verified.`),
        el('pre', {class: 'picture'}, cell.violation.explanation));
  }
  const verified = cell.certificates.map(({verify}) => verify);
  box.append(...[cell.check, ...verified, cell.replay].flatMap(commandLine));
  return box;
}

/** Links to files: "the history, its steps and the proof that ...". */
function fileLinks(files) {
  const between = (at) => (at === 0 ? '' : at + 1 < files.length ? ', ' : ' and ');
  return files.flatMap(({to, text}, at) => [between(at), el('a', {href: to}, text)]);
}

function loadText({workload, committed, aborted, stopped, files = []}) {
  const end = stopped ? `; stopped early: ${stopped}` : '';
  return el(
      'span', {}, `${workload}: ${committed} committed, ${aborted} aborted${end}`,
      files.length > 0 ? '; ' : '', ...fileLinks(files));
}

function drawSetting(setting) {
  const sentence = (text) => (text ? `${text}.` : '');
  const box =
      el('article', {}, el('h3', {}, setting.isolation),
         el('p', {class: 'caption'}, sentence(setting.note)));
  const broken = setting.promise.verdict === 'broken';
  const parts = [
    [broken ? 'verdict broken' : 'promise', '', sentence(setting.promise.text)],
    ['verdict', '', setting.summary], ['meaning', 'That means: ', sentence(setting.meaning)],
    ['remedy', 'What helps: ', sentence(setting.remedy)], ['remedy', '', setting.retry || '']
  ];
  for (const [kind, lead, text] of parts)
    if (text) box.append(el('p', {class: kind}, el('b', {}, lead), text));
  box.append(...[setting.promise.check, setting.promise.verify].flatMap(commandLine));
  if (setting.strongest.length > 0) {
    box.append(
        el('p', {class: 'promise'},
           `The strongest that nothing violated: ${setting.strongest.join(', ')}.`));
  }
  if (setting.loads.length > 0) {
    box.append(el('p', {class: 'caption'}, 'Random load:'), facts(setting.loads.map(loadText)));
  }
  // Cells with pages of their own are there, and not here.
  box.append(...setting.cells.filter(({page}) => !page).map((cell) => drawCell(setting, cell)));
  return box;
}

function drawScenario(scenario) {
  return el(
      'article', {id: `scenario-${scenario.name}`},
      el('h3', {}, `${scenario.column}: ${scenario.title}`), el('p', {}, scenario.about),
      el('p', {class: 'caption'}, `Forbidden by ${scenario.forbidden_by.join(', ')}.`),
      el('pre', {class: 'picture'}, scenario.steps));
}

/** A page about one cell: what was played is open, and the links lead to the other pages. */
function drawCellPage() {
  const {links, files} = data.page;
  const [setting] = data.settings;
  const [cell] = setting.cells;
  const link = ({to, text}) => el('a', {href: to}, text);
  const name = `${data.scenarios[0].column} at ${setting.isolation}`;
  document.title = `${name} - ${data.version} - Isolde survey`;
  byId('title').textContent = name;
  byId('of').textContent = `${data.version}, ${data.database}.`;
  byId('summary').append(el('p', {class: 'ways'}, ...links.flatMap((way) => [link(way), ' '])));
  byId('table').remove();
  for (const part of document.querySelectorAll('nav a[href="#table"], a.skip')) part.remove();
  unfold(cellId(setting, cell));
  byId('summary').after(el('section', {'aria-label': name}, byId(cellId(setting, cell))));
  byId('settings-title').textContent = 'Setting';
  byId('scenarios-title').textContent = 'Scenario';
  if (files.length === 0) return;
  byId(cellId(setting, cell))
      .append(el('p', {class: 'caption'}, 'Beside this page: ', ...fileLinks(files), '.'));
}

document.title = `${data.version} - Isolde survey`;
byId('title').textContent = data.version;
byId('of').textContent = `${data.settings.length} isolation settings of ${data.database}, ` +
    `${data.scenarios.length} scenarios.`;
byId('stopped').hidden = !data.stopped;
if (data.stopped) byId('stopped').textContent = `Stopped early: ${data.stopped}.`;
if (!data.page) drawTable();
byId('setting-list').append(...data.settings.map(drawSetting));
byId('scenario-list').append(...data.scenarios.map(drawScenario));
if (data.page) drawCellPage();
if (location.hash.length > 1) unfold(location.hash.slice(1));
addEventListener('hashchange', () => unfold(location.hash.slice(1)));
startTheme();
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key !== 'd') return;
  toggleTheme();
});
