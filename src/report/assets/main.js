// Keys for the whole page, and the start.

const kKeys = {
  '/': () => {
    byId('search').focus();
    byId('search').scrollIntoView({block: 'center'});
  },
  '?': () => byId('help').showModal(),
  d: toggleTheme,
  g: () => setView('mode', nextOption(kModes, view.mode)),
  a: () => setView('scope', nextOption(kScopes, view.scope)),
  t: () => {
    if (byId('axes').childElementCount > 0) setView('axis', nextOption(kAxes, view.axis));
  },
  w: () => {
    if (!byId('lengths').hidden) setLength(nextOption(kLengths, view.length));
  },
  n: () => stepArrow(1),
  p: () => stepArrow(-1),
  '+': () => zoomBy(1.5),
  '=': () => zoomBy(1.5),
  '-': () => zoomBy(1 / 1.5),
  0: () => zoomBy(0),
};
const kWithoutStory = ['/', '?', 'd'];

function escape(event) {
  tip.hide();
  if (event.target === byId('search')) {
    byId('search').value = '';
    search();
    byId('search').blur();
    return;
  }
  keep(null, null);
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId('help').open) return;
  if (event.key === 'Escape') return escape(event);
  if (event.target.closest('input, select, textarea')) return;
  const action = kKeys[event.key];
  if (!action || (data.stories.length === 0 && !kWithoutStory.includes(event.key))) return;
  event.preventDefault();
  action();
});

byId('help-open').addEventListener('click', () => byId('help').showModal());
startTheme();
drawSummary();
drawHistory();
startLevels();
startStory();
startPlots();
startTransactions();
if (!data.loaded) {
  for (const id of ['measures', 'transactions']) byId(id).hidden = true;
}
