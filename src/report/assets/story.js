// One violation: its name, the picture in four forms, and the argument step by step.

const kModes = [
  ['lanes', 'Lanes', 'Sessions and time'],
  ['list', 'List', 'The transactions of the argument, one below the other'],
  ['graph', 'Graph', 'The argument alone'], ['text', 'Text', 'As isolde check prints it']
];

/** What mouse, fingers and keyboard do in the picture. */
const kHints = {
  lanes: 'Drag to move, Ctrl and the wheel to zoom.',
  text: 'T1, T2, \u2026 lead to the transactions.'
};
/** Up and down a finger moves the page. */
const kTouchHints = {
  lanes: 'Drag sideways to move, with two fingers to zoom.'
};
const kWideHint = 'Wider than the page: scroll sideways for the rest.';

const presses = {};

function startTabs() {
  if (data.stories.length < 2) return;
  const left_out = data.stories_total > data.stories.length;
  const more = data.stories_total > data.stories_in_text;
  byId('story-count').textContent = `${left_out ? 'the first ' : ''}${data.stories.length}${
      left_out ? ` of ${data.stories_total}` : ''} violations, a tab each${
      more ? `; the text report explains ${
                 data.stories_in_text}, without those of stronger levels` :
             ''}`;
  byId('story-tabs').addEventListener('scroll', fadeTabs);
  data.stories.forEach((story, index) => {
    byId('story-tabs')
        .append(
            el('button', {
              type: 'button',
              role: 'tab',
              title: `${capital(story.label)}: rules out ${someOf(story.levels)}`,
              'aria-controls': 'story-panel',
              onclick: () => showStory(index)
            },
               tabText(story)));
  });
}

/** The row of tabs fades out where it goes on. */
function fadeTabs() {
  const row = byId('story-tabs');
  row.classList.toggle('more', row.scrollLeft + row.clientWidth < row.scrollWidth - 4);
}

/** The tab of the story shown is in sight, however many there are in the row. */
function selectTab() {
  const row = byId('story-tabs');
  [...row.children].forEach((tab, index) => {
    tab.setAttribute('aria-selected', index === view.story);
    if (index === view.story)
      row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  });
  fadeTabs();
}

/** What happened, without its kind of cycle, and a level that falls. */
function tabText(story) {
  return `${capital(story.label.replace(/ [(].*[)]$/, ''))}: ${story.headline}`;
}

function showStory(index) {
  view.story = index;
  view.chapter = 0;
  const story = data.stories[index];
  selectTab();
  byId('story-lesson')
      .replaceChildren(el('strong', {}, `${capital(story.label)}: `), `${story.lesson}.`);
  byId('story-cause').replaceChildren(el('b', {}, 'Where to look: '), `${story.cause}.`);
  byId('story-levels').textContent = `Rules out ${levelsText(story.levels)}.`;
  chapterButtons(story);
  keep(null, null);
  drawStory();
  tell('story');
}

/** The levels that databases can be set to, weaker ones first. */
const commonLevels =
    ['read-committed', 'snapshot-isolation', 'repeatable-read', 'serializable'];

/** Which say most are the weakest; few people have heard of those, so that others lead. */
function levelsText(levels) {
  const weakest = levels.filter((level) => data.weakest.includes(level));
  const others = levels.length - weakest.length;
  const common = commonLevels.filter((level) => levels.includes(level));
  if (weakest.length === 0) return someOf(levels);
  if (common.length === 0 || weakest.every((level) => common.includes(level)))
    return `${weakest.join(', ')}${strongerText(weakest, others)}`;
  return `${common.join(', ')} and ${plural(levels.length - common.length, 'other level')}; ` +
      `the weakest ${weakest.length === 1 ? 'is' : 'are'} ${weakest.join(', ')}`;
}

function strongerText(weakest, others) {
  if (others === 0) return '';
  return ` and, with ${weakest.length === 1 ? 'it' : 'them'}, ` +
      `${plural(others, 'stronger level')}`;
}

/** Names of levels, of many only the weaker ones, which come last. */
function someOf(levels) {
  if (levels.length <= 4) return levels.join(', ');
  return `${levels.length} levels, among them ${levels.slice(-3).join(', ')}`;
}

function chapterButtons(story) {
  const group = byId('chapters');
  group.replaceChildren();
  if (story.chapters.length < 2) return;
  choice(
      group,
      story.chapters.map((chapter, at) => [at, `Step ${chapter.number}`, stepTitle(chapter)]),
      view.chapter, (at) => {
        view.chapter = at;
        keep(null, null);
        drawStory();
      });
  if (!story.complete)
    group.append(el('span', {class: 'of'}, `of ${count(story.steps_total)}`));
}

const stepTitle = (chapter) =>
    chapter.heading || (chapter.conclusion ? capital(chapter.conclusion) : 'The last step');

function hint() {
  const graph = byId('graph');
  if (view.mode === 'graph' && graph.scrollWidth > graph.clientWidth) return kWideHint;
  const by_touch = matchMedia('(hover: none) and (pointer: coarse)').matches;
  return (by_touch && kTouchHints[view.mode]) || kHints[view.mode] || '';
}

function drawStory() {
  const story = data.stories[view.story];
  if (!view.chosen) {
    view.mode = fitsLanes(story) ? 'lanes' : 'list';
    presses.mode(view.mode);
  }
  for (const [mode] of kModes) byId(mode).hidden = mode !== view.mode;
  for (const id of ['scopes', 'axes', 'zooms']) byId(id).hidden = view.mode !== 'lanes';
  byId('lengths').hidden = !['lanes', 'list'].includes(view.mode) || !hasBrief(story);
  if (view.mode === 'lanes') drawLanes();
  if (view.mode === 'list') drawList(story);
  if (view.mode === 'graph') drawGraph(story);
  byId('caption').textContent = captionText(story);
  drawText(story);  // also for print
  byId('hint').textContent = hint();
  drawLegend(story);
  drawArgument(story);
  endAtFold();
}

function captionText(story) {
  if (view.mode === 'text') {
    return story.text_is_cut ? 'The beginning of the text that isolde check prints.' :
                               'The text that isolde check prints.';
  }
  const chapter = story.chapters[view.chapter];
  const picture = view.mode === 'graph' && story.chapters.length > 1 ?
      stepsText(story, chapter) :
      pictureText(story, chapter);
  return `${picture}${placesText(story)}${briefText(story)}${spansText()}${
             membersLeftOutText(story)}${leftOutText()}` +
      eventsText(story);
}

/** Of a graph of several steps. */
function stepsText(story, chapter) {
  const which = story.complete ? 'All steps' : `The last ${story.chapters.length} steps`;
  const own = chapter.arrows.length > 0 ? ` Those of step ${chapter.number} stand out.` : '';
  return `${which} of the argument; the number before a kind is that of the step.${own}`;
}

/** A picture of very many transactions would show nothing. */
function membersLeftOutText(story) {
  if (story.left_out === 0) return '';
  return ` ${plural(story.left_out, 'more transaction')} of the violation left out: the text ` +
      'of isolde check and the certificate have all.';
}

/** What places in boxes are of. */
function placesText(story) {
  const shown = view.mode === 'lanes' ? lanes.scene.boxes.map(({txn}) => txn) :
      view.mode === 'list' ? [...castOf(story).keys()].map((place) => data.txns[place]) :
                             [];
  return shown.some((txn) => placeText(txn, story)) ?
      ' Places are those in an order of the operations that is told below.' :
      '';
}

/** What boxes leave out of operations, and where it is. */
function briefText(story) {
  const cut = story.txns.some(
      ({brief}) => Object.values(brief).some((text) => text.includes('\u2026')));
  if (byId('lengths').hidden || view.length !== 'brief' || !cut) return '';
  return ' An ellipsis stands for columns that tell no versions apart, and for ends of long ' +
      'texts: Whole shows them.';
}

const spansText = () => view.mode === 'list' && data.clocked ?
    ' The bar in a box shows when its transaction ran, from the first start to the last end.' :
    '';

/** How many events are not in the picture. */
function eventsText(story) {
  if (view.mode === 'lanes') return eventsLeftOutText(lanes.scene.boxes.map(({txn}) => txn));
  if (view.mode !== 'list') return '';
  const txns = [...castOf(story).keys()].map((place) => data.txns[place]);
  return eventsLeftOutText(txns);
}

/** Which transactions of the story have no place on a scale of time. */
function leftOutText() {
  const scene = lanes.scene;
  if (view.mode !== 'lanes' || !scene || scene.left_out === 0) return '';
  return ` ${plural(scene.left_out, 'transaction')} without times left out.`;
}

/** What joins the boxes of what is not linearizable. */
const followsText = () => view.mode === 'graph' && byId('graph').querySelector('.next') ?
    ' Grey lines follow an order of the others, dotted where some are not drawn.' :
    '';

function pictureText(story, chapter) {
  const open = view.mode === 'lanes' && lanes.scene.boxes.some((box) => box.txn.open) ?
      '; open to the right are those of unknown outcome' :
      '';
  if (story.reasons.length > 0) {
    return 'The read in red, and the transactions that wrote its value or replaced it' +
        `${open}. Below is why none of them can have supplied it.${followsText()}`;
  }
  if (story.kind === 'exhaustion') {
    return `The last transactions on this item${open}. With the end of the red one no order ` +
        `was left.${followsText()}`;
  }
  if (story.kind === 'finding') {
    if (!chapter) {
      return 'The contradiction is in red' +
          (/[(](internal|future-read)[)]/.test(story.label) ?
               ': the transaction contradicts itself.' :
               '.');
    }
    return story.arrows[chapter.arrows[0]].kind ?
        'An arrow leads from who wrote a value to who read it; the contradiction is in red.' :
        'The two transactions that contradict each other; the contradiction is in red.';
  }
  if (chapter.arrows.length === 0) {
    return `${
               capital(
                   chapter.conclusion)}. This step has no picture of its own: these are the ` +
        'transactions that it names.';
  }
  const seen = story.session === null ? 'was seen' : `session ${story.session} saw`;
  const graph = view.mode === 'graph';
  const thin = graph ? byId('graph').querySelector('.evidence') : chapter.evidence.length > 0;
  const thick = !graph ? 'numbered ' : thin ? 'thick ' : '';
  const arrows = 'An arrow from A to B says that A comes before B in every order of the ' +
      `transactions that could explain what ${seen}. The ${thick}arrows ` +
      'form a cycle, so there is no such order';
  const evidence = !thin ?
      '' :
      ` Thin arrows ${graph ? '' : 'without a number '}are what the others rest on.`;
  if (!chapter.heading) return `${arrows}.${evidence}`;
  return `${chapter.heading}. ${arrows} in which this is so.${evidence} ` +
      'Look at the other steps too.';
}

/** The text, with the names T1, T2, ... leading to their transactions. */
function drawText(story) {
  const places = new Map([...story.names].map(([place, name]) => [name, place]));
  const parts = story.text.split(/\b(T\d+)\b/).map((part) => {
    if (!places.has(part)) return part;
    const place = places.get(part);
    return el(
        'button', {
          type: 'button',
          class: 'name-link',
          onmousemove: (event) => tip.show(event, describeTxn(data.txns[place], story, 14)),
          onmouseleave: tip.hide,
          onclick: () => keep(place, null)
        },
        part);
  });
  byId('text').replaceChildren(...parts);
}

function drawArgument(story) {
  const list = byId('argument');
  const chapter = story.chapters[view.chapter];
  const arrows = chapter ? chapter.arrows : [];
  const circle = story.kind === 'argument' && arrows.length > 0;
  const joins = story.kind === 'argument' && !circle;
  byId('argument-title').textContent = circle ? 'Why no order explains this' :
      joins                                   ? 'What follows' :
                                                'Contradiction';
  // A finding may lead to two others with one sentence.
  const lines = arrows.filter(
      (index, at) => circle ||
          !arrows.slice(0, at).some(
              (other) => story.arrows[other].because === story.arrows[index].because));
  list.replaceChildren(...lines.map((index) => {
    const arrow = story.arrows[index];
    const line = el('button', {
      type: 'button',
      'data-arrow': index,
      onclick: () => keep(null, index),
      onmouseenter: () => lightArrow(index),
      onmouseleave: () => lightArrow(null),
      onfocus: () => lightArrow(index),
      onblur: () => lightArrow(null)
    });
    if (circle)
      line.append(el('b', {}, arrowTitle(story, arrow).replace('\u2192', 'before')), ': ');
    line.append(`${circle ? arrow.because : capital(arrow.because)}.`);
    return el('li', {}, line);
  }));
  if (joins) list.replaceChildren(...joinedSteps(story, chapter));
  if (story.reasons.length > 0) list.replaceChildren(...suppliesTold(story));
  list.hidden = list.childElementCount === 0;
  list.classList.toggle('alone', lines.length < 2);
  byId('conclusion').textContent = conclusionText(story, arrows, circle);
  byId('order').textContent = orderText(story);
}

/** The read that nobody supplied, and why none of the writes of its value did. */
function suppliesTold(story) {
  const lines = [el('li', {}, el('b', {class: 'whole'}, `${capital(story.finding)}.`))];
  for (const {depth, text} of story.reasons) {
    const line = el('li', {}, text);
    line.style.marginLeft = `${1.5 * (depth + 1)}rem`;
    lines.push(line);
  }
  return lines;
}

/** How far what is not linearizable can be put in order, and what is not known of it. */
function orderText(story) {
  if (!story.order) return '';
  const {unplaced, names, total, search, key, found} = story.order;
  if (total === null) {
    return `Which of the others can be put in order is not shown: the certificate only says ` +
        `that none was left with the end of ${unplaced}, and ${search}.`;
  }
  const before = total > names.length ? [`${count(total - names.length)} before them`] : [];
  const order = [...before, ...names].join(' \u2192 ');
  const none = `order has room for ${unplaced}`;
  if (total === 0 && found)
    return `Nothing else on ${key} had returned before ${unplaced} did, and no ${
        none}: not linearizable.`;
  const rest = found ?
      `Neither it nor any other ${none} as well, so the history is not linearizable.` :
      `Whether another ${none} as well was not searched to the end: ` +
          'it takes too long. But the certificate says that none has room for all.';
  return `An order of the operations on ${key} that explains all that had returned before ${
             unplaced} did: ${order}. ${
             rest} The certificate has none of these orders; others ` +
      'may get as far.';
}

/** What the steps say that the one shown follows from. */
function joinedSteps(story, shown) {
  return story.chapters.filter((chapter) => shown.from.includes(chapter.number))
      .map(
          (chapter) =>
              el('li', {}, el('b', {}, `Step ${chapter.number}`),
                 `: ${chapter.conclusion.replace(/^From steps? [^:]*: /, '')}.`));
}

function conclusionText(story, arrows, circle) {
  const chapter = story.chapters[view.chapter];
  if (story.kind === 'argument' && !circle) return `${capital(chapter.conclusion)}.`;
  if (story.reasons.length > 0) return '';
  if (!circle) {
    const finding = arrows.length > 0 ? '' : `${capital(story.finding || story.statement)}.`;
    return `${finding} ${story.closing}`.trim();
  }
  const name = (place) => story.names.get(place) || data.txns[place].id;
  const round = chapter.left_out > 0 ?
      `Together with ${plural(chapter.left_out, 'arrow')} left out here` :
      [
        ...arrows.map((index) => name(story.arrows[index].from)),
        name(story.arrows[arrows[0]].from)
      ].join(' \u2192 ');
  const rest = story.complete ?
      '' :
      ` This is the end of an argument of ${
          plural(story.steps_total, 'step')}; the certificate has all of them.`;
  const last = view.chapter === story.chapters.length - 1;
  const so = chapter.conclusion ? `: ${chapter.conclusion}` :
                                  ' no order of the transactions gives what they saw';
  return `${round}: a cycle, so${so}.${rest}${
      last && story.closing ? ` ${story.closing}` : ''}`;
}

function lightArrow(index) {
  for (const path of document.querySelectorAll('.picture .arrow')) {
    const own = Number(path.dataset.arrow);
    path.classList.toggle('on', own === index || own === kept.arrow);
  }
}

/** Keeps the next (1) or previous (-1) arrow of the argument. */
function stepArrow(direction) {
  const story = data.stories[view.story];
  const chapter = story && story.chapters[view.chapter];
  if (!chapter || chapter.arrows.length === 0) return;
  const at = chapter.arrows.indexOf(kept.arrow);
  const size = chapter.arrows.length;
  const next = at < 0 ? (direction > 0 ? 0 : size - 1) : (at + direction + size) % size;
  keep(null, chapter.arrows[next]);
}

function markArgument() {
  for (const line of document.querySelectorAll('#argument button')) {
    line.classList.toggle(
        'on', Number(line.dataset.arrow) === kept.arrow && kept.arrow !== null);
  }
}

/** Lanes may have no room for whole operations. */
function setLength(value) {
  view.length = value;
  presses.length(value);
  drawStory();
}

/** What is to be seen in lanes is seen there. */
function setView(name, value) {
  view[name] = value;
  presses[name](value);
  view.chosen = true;
  if (name !== 'mode' && view.mode === 'list') {
    view.mode = 'lanes';
    presses.mode('lanes');
  }
  drawStory();
}

function startStory() {
  if (data.stories.length === 0) {
    byId('story').hidden = true;
    byId('nav-story').hidden = true;
    document.querySelector('.skip').href = '#levels';
    return;
  }
  setSpans();
  startTabs();
  const timed = data.clocked && !data.order_only;
  presses.mode = choice(byId('views'), kModes, view.mode, (mode) => setView('mode', mode));
  presses.scope =
      choice(byId('scopes'), kScopes, view.scope, (scope) => setView('scope', scope));
  presses.axis =
      choice(byId('axes'), timed ? kAxes : [], view.axis, (axis) => setView('axis', axis));
  presses.length = choice(byId('lengths'), kLengths, view.length, setLength);
  for (const [text, title, factor] of [
           ['\u2212', 'Zoom out (-)', 1 / 1.5], ['Fit', 'Fit (0)', 0],
           ['+', 'Zoom in (+)', 1.5]]) {
    byId('zooms').append(
        el('button', {type: 'button', title, onclick: () => zoomBy(factor)}, text));
  }
  on('keep', markKept);
  on('keep', markList);
  on('keep', markGraph);
  on('keep', markArgument);
  for (const [mode] of kModes) byId(mode).addEventListener('scroll', tellFold);
  byId('lanes').addEventListener('keydown', lanesKey);
  byId('list').addEventListener('keydown', listKey);
  let width = innerWidth;
  addEventListener('resize', () => {
    if (innerWidth === width) return;
    width = innerWidth;
    fadeTabs();
    drawAboveFold();
    keep(kept.txn, kept.arrow);
  });
  showStory(0);
  drawAboveFold();
}
