// Graphviz's picture of the argument. Its colours and styles are those of this page's style
// sheet.

/** Title, kind and label of an arrow of the graph, as Graphviz wrote them. */
function readEdge(edge) {
  const [from, to] = edge.querySelector('title').textContent.split('->');
  const kind = [...edge.classList].find((each) => kKinds[each]) || '';
  const label = edge.querySelector('text');
  return {from, to, kind, label: label ? label.textContent.trim() : ''};
}

/** The arrow of the story that it is; of several of one kind the one on its key. */
function arrowOf(story, {from, to, kind, label}) {
  const node = (place) => `t${data.txns[place].number}`;
  const same = story.arrows.filter(
      (arrow) => arrow.kind === kind && node(arrow.from) === from && node(arrow.to) === to);
  return same.find((arrow) => arrow.key !== null && label.endsWith(data.keys[arrow.key])) ||
      same[0];
}

/** By mouse and keyboard: a tip, and details that stay. */
function bindPart(part, name, describe, keepIt) {
  part.setAttribute('tabindex', 0);
  part.setAttribute('role', 'button');
  part.setAttribute('aria-label', name);
  part.addEventListener('mousemove', (event) => tip.show(event, describe()));
  part.addEventListener('mouseleave', tip.hide);
  part.addEventListener('click', () => {
    tip.hide();
    keepIt();
  });
  part.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    keepIt();
  });
}

/** What does not belong to the step shown is faint. */
function drawGraph(story) {
  const chapter = story.chapters[view.chapter];
  const stepwise = story.chapters.length > 1 && chapter.arrows.length > 0;
  const svg = document.importNode(
      new DOMParser().parseFromString(story.svg, 'image/svg+xml').documentElement, true);
  for (const link of svg.querySelectorAll('a')) link.replaceWith(...link.childNodes);
  for (const edge of svg.querySelectorAll('.edge')) {
    const read = readEdge(edge);
    edge.querySelector('title').remove();
    if (!edge.classList.contains('more')) edge.classList.add(kindClass(read.kind));
    edge.classList.toggle(
        'other', stepwise && !edge.classList.contains(`step${chapter.number}`));
    const arrow = arrowOf(story, read);
    if (!arrow) continue;
    const index = story.arrows.indexOf(arrow);
    edge.dataset.arrow = index;
    bindPart(
        edge, `${arrowTitle(story, arrow)}, ${read.label}`, () => describeArrow(story, arrow),
        () => keep(null, index));
  }
  for (const node of svg.querySelectorAll('.node')) {
    const title = node.querySelector('title');
    const shown = data.txns.find((txn) => `t${txn.number}` === title.textContent);
    title.remove();
    if (shown) drawNode(node, shown, story, stepwise);
  }
  for (const named of svg.querySelectorAll('[id]')) named.removeAttribute('id');
  byId('graph').replaceChildren(svg);
}

function drawNode(node, txn, story, stepwise) {
  node.classList.toggle('other', stepwise && !castOf(story).has(txn.place));
  node.dataset.txn = txn.place;
  // Below its name a line for each operation or selection; long ones go on in lines that begin
  // with blanks.
  const {ops, told} = story.txns.find((member) => member.txn === txn.place);
  const pieces = [];
  for (const op of ops) {
    if (told[op] === '' && pieces.length > 0)
      pieces[pieces.length - 1].push(op);
    else
      pieces.push([op]);
  }
  let at = -1;
  for (const line of [...node.querySelectorAll('text')].slice(1)) {
    if (!/^\s/.test(line.textContent)) ++at;
    line.classList.toggle('bad', (pieces[at] || []).some((op) => isBad(story, txn.place, op)));
  }
  bindPart(
      node, txnTitle(txn, story), () => describeTxn(txn, story, 14),
      () => keep(txn.place, null));
}

/** Kinds of the arrows in the graph. */
const graphKinds = () => [...document.querySelectorAll('#graph .edge[data-arrow]')].map(
    (edge) => data.stories[view.story].arrows[edge.dataset.arrow].kind);

function markGraph() {
  for (const [part, value] of [['arrow', kept.arrow], ['txn', kept.txn]]) {
    for (const each of document.querySelectorAll(`#graph [data-${part}]`))
      each.classList.toggle('kept', value !== null && Number(each.dataset[part]) === value);
  }
}
