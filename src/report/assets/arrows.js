// Arrows of the picture: curves from box to box that leave and arrive beside each other, with
// labels where there is room.

const kLabelCharacter = 6.6;  // width of one in a label
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
      end.x = box.left + ((index + 1) / (values.length + 1)) * (box.right - box.left);
      end.y = end.side === 'top' ? box.top - 1 : box.top + box.height + 1;
    });
  }
}

/**
 * The four points of a Bezier curve. `level`: above how many others it lies, for arrows within
 * a lane; `bow`: how far others bend to the right.
 */
function controls(from, to, level, bow) {
  if (from.box.lane === to.box.lane) {
    const up = (kArc * level + 14) / 0.75;  // the curve reaches three quarters of this height
    return [from, {x: from.x, y: from.y - up}, {x: to.x, y: to.y - up}, to];
  }
  const half = (to.y - from.y) / 2;
  return [from, {x: from.x + bow, y: from.y + half}, {x: to.x + bow, y: to.y - half}, to];
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
    const points = controls(tail, head, level, bow);
    const hits = hitsOf(points, others);
    if (best === null || hits < best.hits) best = {points, hits};
    if (hits === 0 || tail.box.lane === head.box.lane) break;
  }
  const path = d3.path();
  const [a, b, c, d] = best.points;
  path.moveTo(a.x, a.y);
  path.bezierCurveTo(b.x, b.y, c.x, c.y, d.x, d.y);
  return path.toString();
}

/** Arrows within a lane: short ones lie below long ones. */
function arcLevels(arrows) {
  const levels = new Map();
  const arcs = arrows.filter((arrow) => arrow.from.lane === arrow.to.lane);
  for (const {values} of d3.nest().key((arrow) => arrow.from.txn.session).entries(arcs)) {
    const span = (arrow) => Math.abs(arrow.tail.x - arrow.head.x);
    values.sort((a, b) => span(a) - span(b) || a.index - b.index)
        .forEach((arrow, level) => levels.set(arrow, level + 1));
  }
  return levels;
}

function labelOf(arrow, number) {
  const key = arrow.key === null ? '' : clipped(data.keys[arrow.key], 16);
  return [number, arrow.kind, key].filter(Boolean).join(' ');
}

/** The first place along the curve where the label covers no other one and no box. */
function placeLabel(node, text, taken) {
  const length = node.getTotalLength();
  const width = text.length * kLabelCharacter + 8;
  let best = null;
  for (const share of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
    const point = node.getPointAtLength(length * share);
    const box =
        {x0: point.x - width / 2, x1: point.x + width / 2, y0: point.y - 8, y1: point.y + 8};
    const hits = taken
                     .filter(
                         (other) => box.x0 < other.x1 && other.x0 < box.x1 &&
                             box.y0 < other.y1 && other.y0 < box.y1)
                     .length;
    if (best === null || hits < best.hits) best = {box, point, hits};
    if (hits === 0) break;
  }
  taken.push(best.box);
  return best.point;
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

function drawArrows(scene) {
  const group = lanes.svg.select('g.arrows');
  group.selectAll('*').remove();
  const story = data.stories[view.story];
  if (!story) return;
  const chapter = story.chapters[view.chapter];
  const current = new Map(chapter ? chapter.arrows.map((arrow, at) => [arrow, at + 1]) : []);
  const arrows = [];
  story.arrows.forEach((each, index) => {
    const from = scene.at.get(each.from);
    const to = scene.at.get(each.to);
    if (!from || !to || !current.has(index)) return;
    arrows.push({data: each, index, from, to, number: current.get(index)});
  });
  const ends = [];
  for (const arrow of arrows) {
    arrow.tail = {arrow, box: arrow.from, other: arrow.to, side: sideOf(arrow.from, arrow.to)};
    arrow.head = {arrow, box: arrow.to, other: arrow.from, side: sideOf(arrow.to, arrow.from)};
    ends.push(arrow.tail, arrow.head);
  }
  spreadEnds(ends);
  const levels = arcLevels(arrows);
  const taken =
      scene.boxes.filter((box) => box.member)
          .map(
              (box) =>
                  ({box, x0: box.left, x1: box.right, y0: box.top, y1: box.top + box.height}));
  const boxes = taken.slice();
  for (const arrow of arrows) {
    const path = curve(arrow, levels.get(arrow) || 0, boxes);
    const kind = kindClass(arrow.data.kind);
    const on = kept.arrow === arrow.index ? ' on' : '';
    arrowEvents(
        group.append('path').datum(arrow).attr('class', 'arrow-hit').attr('d', path), story);
    const drawn = arrowEvents(
        group.append('path')
            .datum(arrow)
            .attr('d', path)
            .attr('class', `arrow ${kind}${on}`)
            .attr('data-arrow', arrow.index)
            .attr('marker-end', `url(#head-${kind})`),
        story);
    arrow.node = drawn.node();
  }
  for (const arrow of arrows) {
    const text = labelOf(arrow.data, arrows.length > 1 ? arrow.number : 0);
    const point = placeLabel(arrow.node, text, taken);
    arrowEvents(group.append('text').datum(arrow).text(text), story)
        .attr('class', `arrow-label ${kindClass(arrow.data.kind)}`)
        .attr('text-anchor', 'middle')
        .attr('x', Math.max(point.x, lanes.gutter + text.length * 3.3))
        .attr('y', point.y + 4);
  }
}

/** Kinds that occur in the story, each with a sample. */
function drawLegend(story) {
  const legend = byId('legend');
  legend.replaceChildren();
  if (!story) return;
  for (const kind of new Set(story.arrows.map((arrow) => arrow.kind))) {
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
  for (const status of [1, 2]) {
    if (!data.txns.some((txn) => txn.status === status)) continue;
    const item = el('li');
    d3.select(item)
        .append('svg')
        .attr('width', 34)
        .attr('height', 14)
        .attr('aria-hidden', 'true')
        .append('g')
        .attr('class', `txn s${status}`)
        .append('rect')
        .attr('x', 1)
        .attr('y', 1)
        .attr('width', 32)
        .attr('height', 12)
        .attr('rx', 3);
    item.append(`transaction, ${kStatus[status]}`);
    legend.append(item);
  }
  legend.append(el('li', {}, 'Drag to move, Ctrl and the wheel to zoom.'));
}
