// Arrows of the picture: curves from box to box that leave and arrive beside each other, with
// labels where there is room.

const kLabelCharacter = 7;  // width of one in a label
// Where along an arrow its label may be.
const kShares = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8, 0.14, 0.86];
// Further away: to which side, by half of its width, and how much lower.
const kBeside = d3.cross([-2, -1, 0, 1, 2], d3.range(-45, 54, 9));
const kApart = 36;  // between the control points of arrows that bend away from each other
// How far arrows bend to avoid boxes, in the order of trying.
const kBows = [0, 70, -70, 140, -140, 210, -210, 300, -300];

/** Where an arrow leaves or arrives: on the side of the box that faces the other one. */
function sideOf(box, other) {
  return box.lane === other.lane || other.lane.y < box.lane.y ? 'top' : 'bottom';
}

/**
 * Spreads the ends of arrows along each side of each box, in the order in which the other ends
 * lie, so that arrows do not cross more than they must.
 */
function spreadEnds(ends) {
  const sides = d3.nest().key((end) => `${end.box.txn.place} ${end.side}`).entries(ends);
  for (const {values} of sides) {
    const box = values[0].box;
    const middle = (each) => (each.left + each.right) / 2;
    values.sort(
        (a, b) => middle(a.other) - middle(b.other) ||
            (a.arrow.index - b.arrow.index) *
                (a.other.lane === box.lane && a.other.left < box.left ? -1 : 1));
    values.forEach((end, index) => {
      end.x = box.left + ((index + 1) / (values.length + 1)) * (box.reach - box.left);
      end.y = end.side === 'top' ? box.top - 1 : box.top + box.height + 1;
    });
  }
}

/**
 * The four points of a Bezier curve. `level`: above how many others it lies, for arrows within
 * a lane; `bow`: how far others bend to the right; `apart`: how far they bend across their
 * direction, to keep apart from others between the same boxes.
 */
function controls(from, to, level, bow, apart) {
  if (from.box.lane === to.box.lane) {
    const up = (kArc * level + 14) / 0.75;  // the curve reaches three quarters of this height
    return [from, {x: from.x, y: from.y - up}, {x: to.x, y: to.y - up}, to];
  }
  const half = (to.y - from.y) / 2;
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const x = bow + apart * Math.abs(to.y - from.y) / length;
  const y =
      -Math.sign((to.x - from.x) * (to.y - from.y)) * apart * Math.abs(to.x - from.x) / length;
  return [from, {x: from.x + x, y: from.y + half + y}, {x: to.x + x, y: to.y - half + y}, to];
}

function pointOn([a, b, c, d], t) {
  const s = 1 - t;
  const mix = (axis) => s * s * s * a[axis] + 3 * s * s * t * b[axis] +
      3 * s * t * t * c[axis] + t * t * t * d[axis];
  return {x: mix('x'), y: mix('y')};
}

/** In how many places the curve runs through one of the boxes, ends aside. */
function hitsOf(points, boxes) {
  let hits = 0;
  for (let step = 2; step <= 30; ++step) {
    const {x, y} = pointOn(points, step / 32);
    hits += boxes.some(
        (box) => x > box.x0 - 6 && x < box.x1 + 6 && y > box.y0 - 3 && y < box.y1 + 3);
  }
  return hits;
}

/** A curve that bends around the boxes of the story that lie between its ends. */
function curve(arrow, level, boxes) {
  const {tail, head} = arrow;
  const others = boxes.filter(({box}) => box !== tail.box && box !== head.box);
  let best = null;
  for (const bow of kBows) {
    const points = controls(tail, head, level, bow, arrow.apart);
    const hits = hitsOf(points, others);
    if (best === null || hits < best.hits) best = {points, hits};
    if (hits === 0 || tail.box.lane === head.box.lane) break;
  }
  return best.points;
}

function pathOf([a, b, c, d]) {
  const path = d3.path();
  path.moveTo(a.x, a.y);
  path.bezierCurveTo(b.x, b.y, c.x, c.y, d.x, d.y);
  return path.toString();
}

/** Arrows between the same two boxes bend away from each other. */
function setApart(arrows) {
  const pair = ({from, to}) => [from.txn.place, to.txn.place].sort((a, b) => a - b).join(' ');
  for (const {values} of d3.nest().key(pair).entries(arrows)) {
    const left = (arrow) => arrow.tail.x + arrow.head.x;
    values.sort((a, b) => left(a) - left(b) || a.index - b.index).forEach((arrow, at) => {
      arrow.apart = (at - (values.length - 1) / 2) * kApart;
    });
  }
}

/** "x", but "key 4": a small number by itself looks like that of a step. */
const keyText = (name) => (/^\d{1,2}$/.test(name) ? `key ${name}` : name);

function labelOf(arrow, number) {
  const key = arrow.key === null ? '' : keyText(clipped(data.keys[arrow.key], 16));
  return [number ? `${number}.` : '', arrow.kind, key].filter(Boolean).join(' ');
}

/**
 * Points along a curve, those in its middle where a label may be, and one in the arrow's head.
 * Not asked of the path that is drawn: the browser measures all of that for each point.
 */
function traced(curve) {
  const steps = d3.range(65).map((step) => pointOn(curve, step / 64));
  const lengths = [0];
  for (const [a, b] of d3.pairs(steps))
    lengths.push(lengths[lengths.length - 1] + Math.hypot(b.x - a.x, b.y - a.y));
  const x = d3.scaleLinear(lengths, steps.map((point) => point.x));
  const y = d3.scaleLinear(lengths, steps.map((point) => point.y));
  const at = (length) => ({x: x(length), y: y(length)});
  const length = lengths[64];
  return {
    points: d3.range(0, length, 5).map(at),
    middles: kShares.map((share) => at(length * share)),
    head: at(Math.max(0, length - 6))
  };
}

const overlap = (a, b) => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;

/** As far from the sides of the picture as `margin`, where a part of it is between them. */
function withinView(x, margin) {
  if (x < -margin || x > lanes.width + margin) return x;
  return Math.max(lanes.gutter + margin, Math.min(lanes.width - margin, x));
}

/**
 * The place along the arrow where its label covers the least: other labels and boxes above all,
 * first those of the story, then heads, then other arrows.
 */
function placeLabel(own, text, taken, traces) {
  const at = lanes.scene.heights.places;
  const near = bestPlace(own, text, taken, traces, at);
  // Where there is no room on the arrow there may be some beside it.
  const best =
      near.covers === 0 ? near : bestPlace(own, text, taken, traces, [...at, ...kBeside]);
  taken.push(best.box);
  return best.box;
}

/** How much it covers, and at what cost: of boxes and labels, those that matter. */
function bestPlace(own, text, taken, traces, places) {
  const width = text.length * kLabelCharacter + 10;
  let best = null;
  for (const [which, [side, lower]] of d3.cross(d3.range(kShares.length), places)) {
    const point = own.middles[which];
    const x = withinView(point.x + side * (width / 2 + 6), width / 2 + 2);
    const y = point.y + lower;
    const box = {x0: x - width / 2, x1: x + width / 2, y0: y - 8, y1: y + 8, cost: 1000};
    const inside = ({x, y}) => x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1;
    const covered = taken.filter((other) => overlap(box, other));
    const cost = d3.sum(covered, (other) => other.cost) +
        10 *
            d3.sum(
                traces, (other) => (other === own ? 0 : other.points.filter(inside).length)) +
        200 * traces.filter(({head}) => inside(head)).length + 5 * Math.abs(side) +
        Math.max(0, Math.abs(lower) - 12) + Math.abs(kShares[which] - 0.5);
    if (best === null || cost < best.cost)
      best = {box, cost, covers: covered.filter((other) => other.cost >= 1000).length};
  }
  return best;
}

/** Heads of arrows of all kinds, for the pictures of one form. */
function drawHeads(svg, form) {
  for (const kind of Object.keys(kKinds)) {
    svg.append('defs')
        .append('marker')
        .attr('id', `${form}-${kindClass(kind)}`)
        .attr('viewBox', '0 0 10 10')
        .attr('refX', 9)
        .attr('refY', 5)
        .attr('markerWidth', 9)
        .attr('markerHeight', 9)
        .attr('markerUnits', 'userSpaceOnUse')
        .attr('orient', 'auto')
        .append('path')
        .attr('d', 'M0,0 L10,5 L0,10 z')
        .attr('class', `head ${kindClass(kind)}`);
  }
}

function arrowEvents(selection, story) {
  return selection
      .on('mousemove', (arrow) => tip.show(d3.event, describeArrow(story, arrow.data)))
      .on('mouseleave', tip.hide)
      .on('click', (arrow) => {
        tip.hide();
        keep(null, arrow.index);
      });
}

/** The arrows of the step shown whose ends are in the picture. */
function arrowsOf(scene, story) {
  const chapter = story.chapters[view.chapter];
  if (!chapter) return [];
  const arrows = [];
  const add = (index, number) => {
    const each = story.arrows[index];
    const from = scene.at.get(each.from);
    const to = scene.at.get(each.to);
    if (!from || !to) return;
    const arrow = {data: each, index, from, to, number, apart: 0};
    arrow.tail = {arrow, box: from, other: to, side: sideOf(from, to)};
    arrow.head = {arrow, box: to, other: from, side: sideOf(to, from)};
    arrows.push(arrow);
  };
  const one = chapter.arrows.length === 1;
  for (const index of arrowsShown(story))
    add(index, one ? 0 : chapter.arrows.indexOf(index) + 1);
  return arrows;
}

/** Numbered arrows are the argument; thin ones support it. */
function drawPath(group, arrow, path, form, only, story) {
  const kind = kindClass(arrow.data.kind);
  const classes = [
    'arrow', kind, kept.arrow === arrow.index ? 'on' : '',
    arrow.number || only ? '' : 'evidence'
  ];
  arrowEvents(
      group.append('path').datum(arrow).attr('class', 'arrow-hit').attr('d', path), story);
  return arrowEvents(
      group.append('path')
          .datum(arrow)
          .attr('d', path)
          .attr('class', classes.filter(Boolean).join(' '))
          .attr('data-arrow', arrow.index)
          .attr('marker-end', `url(#${form}-${kind})`),
      story);
}

/** The text in the middle of the box. */
function drawLabel(group, arrow, text, box, story) {
  const label = arrowEvents(group.append('g').datum(arrow), story)
                    .attr('class', `arrow-label ${kindClass(arrow.data.kind)}`);
  label.append('rect')
      .attr('x', box.x0)
      .attr('y', box.y0)
      .attr('width', box.x1 - box.x0)
      .attr('height', box.y1 - box.y0)
      .attr('rx', 4);
  label.append('text')
      .attr('text-anchor', 'middle')
      .attr('x', (box.x0 + box.x1) / 2)
      .attr('y', (box.y0 + box.y1) / 2 + 4)
      .text(text);
}

const isOfStory = (box) => box.member || box.idle;

/** Where it is, and what it costs to cover it. */
const boxRect = (box) => ({
  box,
  x0: box.left,
  x1: box.right,
  y0: box.top,
  y1: box.top + box.height,
  cost: isOfStory(box) ? 1000 : 300
});

function drawArrows(scene) {
  const group = lanes.svg.select('g.arrows');
  group.selectAll('*').remove();
  const story = data.stories[view.story];
  if (!story) return;
  const arrows = arrowsOf(scene, story);
  spreadEnds(arrows.flatMap((arrow) => [arrow.tail, arrow.head]));
  setApart(arrows);
  const boxes = scene.boxes.filter((box) => box.shown).map(boxRect);
  const ofStory = boxes.filter(({box}) => isOfStory(box));
  const taken = [...boxes, ...scene.names];
  for (const arrow of arrows) {
    const points = curve(arrow, scene.arcs.get(arrow.index) || 0, ofStory);
    drawPath(group, arrow, pathOf(points), 'lanes', arrows.length === 1, story);
    arrow.trace = traced(points);
  }
  const traces = arrows.map((arrow) => arrow.trace);
  for (const arrow of arrows) {
    const text = labelOf(arrow.data, arrow.number);
    if (text)
      drawLabel(group, arrow, text, placeLabel(arrow.trace, text, taken, traces), story);
  }
}

/** Kinds that occur in the picture, each with a sample. */
function drawLegend(story) {
  const legend = byId('legend');
  legend.replaceChildren();
  if (!story) return;
  const indexes = view.mode === 'text' ? story.arrows.keys() : arrowsShown(story);
  const kinds = view.mode === 'graph' ? graphKinds() :
                                        [...indexes].map((index) => story.arrows[index].kind);
  for (const kind of new Set(kinds)) {
    const item = el('li');
    const svg = d3.select(item)
                    .append('svg')
                    .attr('width', 34)
                    .attr('height', 10)
                    .attr('aria-hidden', 'true');
    svg.append('line')
        .attr('class', `sample arrow ${kindClass(kind)}`)
        .attr('x2', 34)
        .attr('y1', 5)
        .attr('y2', 5);
    item.append(`${kind || 'arrow'}: ${kKinds[kind][0]} \u2013 A \u2192 B says that ${
        kKinds[kind][1]}`);
    legend.append(item);
  }
  if (view.mode !== 'lanes') return;
  if (lanes.scene.events.length > 0) {
    const item = el('li');
    d3.select(item)
        .append('svg')
        .attr('width', 34)
        .attr('height', 14)
        .attr('aria-hidden', 'true')
        .append('g')
        .attr('class', 'event')
        .call(
            (group) => group.append('rect')
                           .attr('class', 'shade')
                           .attr('width', 34)
                           .attr('height', 14))
        .append('rect')
        .attr('class', 'bar')
        .attr('width', 34)
        .attr('height', 3);
    item.append('event: a fault or whatever else was recorded, from its beginning to its end');
    legend.append(item);
  }
  for (const status of [1, 2]) {
    if (!lanes.scene.boxes.some((box) => box.txn.status === status)) continue;
    const item = el('li');
    d3.select(item)
        .append('svg')
        .attr('width', 34)
        .attr('height', 14)
        .attr('aria-hidden', 'true')
        .append('g')
        .attr('class', `txn s${status}${status === 2 ? ' open' : ''}`)
        .append('rect')
        .attr('x', 1)
        .attr('y', 1)
        .attr('width', 32)
        .attr('height', 12)
        .attr('rx', 3)
        .attr('stroke-dasharray', status === 2 ? openSide(32, 12) : null);
    item.append(`transaction, ${kStatus[status]}`);
    legend.append(item);
  }
}
