// The transactions of the story one below the other, as wide as the picture: no text is cut,
// however narrow the window. Arrows go along the right side, with their labels in the gaps
// between the boxes.

const kOpsInCard = 12;
const kChannel = 14;   // from one arrow to the next along the side
const kLabelRow = 24;  // height of a label in a gap
const kRowGap = 12;    // between boxes without one
const kBend = 6;       // radius of the corners of an arrow

/** When it ran, among those listed. */
function spanBar(txn, from, to) {
  const extent = Math.max(to - from, 1);
  const bar = el('i', {class: txn.open ? 'open' : null});
  bar.style.marginLeft = `${100 * (txn.from - from) / extent}%`;
  bar.style.width = `${100 * ((txn.endless ? to : txn.to) - txn.from) / extent}%`;
  return el('div', {class: 'span'}, bar);
}

function cardOf(txn, story, cast, span) {
  const {shown, hidden} = mattersOf(txn, story, cast, kOpsInCard);
  const server = txn.server ? `, on ${shortServer(txn.server)}` : '';
  const card =
      el('div', {
        class: `card s${txn.status}${shown.some(({bad}) => bad) ? ' wrong' : ''}`,
        'data-txn': txn.place,
        role: 'button',
        tabindex: -1,
        'aria-label': `${txnTitle(txn, story)}, ${txnFacts(txn)}`,
        onclick: () => keep(txn.place, null)
      },
         el('div', {}, el('b', {class: 'title'}, nameInStory(txn, story)),
            el('span', {class: 'facts'}, ` session ${data.sessions[txn.session]}${server}`),
            el('span', {class: 'facts when', hidden: whenText(txn) === ''}, whenText(txn)),
            el('span', {class: 'facts when', hidden: hidden === 0},
               plural(hidden, 'more operation'))),
         ...shown.map(
             ({text, bad, times}) =>
                 el('div', {class: bad ? 'op bad' : 'op'}, `${text}${timesOver(times)}`)));
  if (placeText(txn, story)) card.append(el('div', {class: 'facts'}, placeText(txn, story)));
  if (data.clocked) card.append(spanBar(txn, ...span));
  return card;
}

/**
 * Arrows between rows. `level`: how far to the right it goes, short ones inside of long ones;
 * `gap`: the row below which its label stands, the one with the fewest of those that it passes.
 */
function rowArrows(story, rows) {
  const chapter = story.chapters[view.chapter];
  const arrows = [];
  for (const index of arrowsShown(story)) {
    const each = story.arrows[index];
    const [from, to] = [rows.get(each.from), rows.get(each.to)];
    if (from === undefined || to === undefined || from === to) continue;
    const number = chapter.arrows.length === 1 ? 0 : chapter.arrows.indexOf(index) + 1;
    arrows.push({
      data: each,
      index,
      number,
      from,
      to,
      low: Math.min(from, to),
      high: Math.max(from, to)
    });
  }
  arrows.sort((a, b) => (a.high - a.low) - (b.high - b.low) || a.index - b.index);
  const labels = new Array(rows.size).fill(0);
  for (const arrow of arrows) {
    const taken = new Set(
        arrows
            .filter((other) => other.level && other.low < arrow.high && arrow.low < other.high)
            .map((other) => other.level));
    arrow.level = 1;
    while (taken.has(arrow.level)) ++arrow.level;
    arrow.gap = arrow.low + d3.scan(labels.slice(arrow.low, arrow.high));
    arrow.slot = labels[arrow.gap]++;
  }
  return {arrows, labels};
}

/**
 * Heights at which arrows leave and reach a box: from above the upper ones, inner ones nearest
 * to where they go, so that arrows of one box do not cross.
 */
function spreadRowEnds(arrows, cards) {
  cards.forEach((card, row) => {
    const up = arrows.filter((arrow) => arrow.high === row).sort((a, b) => a.level - b.level);
    const down = arrows.filter((arrow) => arrow.low === row).sort((a, b) => b.level - a.level);
    [...up, ...down].forEach((arrow, at, all) => {
      const y = card.offsetTop + ((at + 1) / (all.length + 1)) * card.offsetHeight;
      arrow[arrow.from === row ? 'tail' : 'head'] = y;
    });
  });
}

function rowPath({tail, head}, left, right) {
  const turn = Math.sign(head - tail) * kBend;
  const path = d3.path();
  path.moveTo(left, tail);
  path.lineTo(right - kBend, tail);
  path.quadraticCurveTo(right, tail, right, tail + turn);
  path.lineTo(right, head - turn);
  path.quadraticCurveTo(right, head, right - kBend, head);
  path.lineTo(left + 1, head);
  return path.toString();
}

function drawRowArrows(figure, story, arrows, cards, channel) {
  const svg = d3.select(figure)
                  .append('svg')
                  .attr('width', figure.clientWidth)
                  .attr(
                      'height',
                      cards[cards.length - 1].offsetTop + cards[cards.length - 1].offsetHeight +
                          kRowGap);
  drawHeads(svg, 'list');
  const left = cards[0].offsetLeft + cards[0].offsetWidth;
  const at = (arrow) => left + 6 + arrow.level * channel;
  for (const arrow of arrows)
    drawPath(svg, arrow, rowPath(arrow, left, at(arrow)), 'list', arrows.length === 1, story);
  for (const arrow of arrows) {
    const text = labelOf(arrow.data, arrow.number);
    if (!text) continue;
    const x1 = at(arrow) + 8;
    const above = cards[arrow.gap];
    const y0 = above.offsetTop + above.offsetHeight + 5 + arrow.slot * kLabelRow;
    drawLabel(
        svg, arrow, text,
        {x0: Math.max(2, x1 - text.length * kLabelCharacter - 10), x1, y0, y1: y0 + 16}, story);
  }
}

function drawList(story) {
  const figure = byId('list');
  const cast = castOf(story);
  const txns = [...cast.keys()].map((place) => data.txns[place]);
  const {arrows, labels} = rowArrows(story, new Map(txns.map((txn, row) => [txn.place, row])));
  const levels = d3.max(arrows, (arrow) => arrow.level) || 0;
  const channel = Math.min(kChannel, (0.3 * figure.clientWidth) / Math.max(levels, 1));
  const span =
      [d3.min(txns, (txn) => txn.from), d3.max(txns, (txn) => Math.max(txn.from, txn.to))];
  const cards = txns.map((txn, row) => {
    const card = cardOf(txn, story, cast, span);
    card.style.marginBottom = `${labels[row] > 0 ? labels[row] * kLabelRow + 6 : kRowGap}px`;
    card.style.marginRight = `${levels > 0 ? 16 + levels * channel : 0}px`;
    return card;
  });
  figure.replaceChildren(...cards, ...eventLines(txns));
  cards[0].setAttribute('tabindex', 0);
  spreadRowEnds(arrows, cards);
  drawRowArrows(figure, story, arrows, cards, channel);
}

function listKey(event) {
  const card = event.target.closest('.card');
  if (!card) return;
  const steps = {ArrowUp: 'previousElementSibling', ArrowDown: 'nextElementSibling'};
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    return card.click();
  }
  const other = steps[event.key] && card[steps[event.key]];
  if (!other || !other.matches('.card')) return;
  event.preventDefault();
  card.setAttribute('tabindex', -1);
  other.setAttribute('tabindex', 0);
  other.focus();
}

function markList() {
  for (const card of document.querySelectorAll('#list .card'))
    card.classList.toggle('kept', Number(card.dataset.txn) === kept.txn && kept.txn !== null);
  lightArrow(null);
}
