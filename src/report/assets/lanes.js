// The picture: a lane for each session, transactions as boxes from start to end, and the arrows
// of the story. D3 does scales, axes, zoom and curves; what is here is where things go.

const kCharacter = 6.7;  // width of one in a box
const kLine = 14;        // height of one
const kNarrow = 22;      // width of a box without text
const kArc = 20;         // height of an arrow within a lane, and from one to the next
const kOpsInBox = 4;
const kTextInBox = 30;  // characters
const kNear = 3;        // transactions before and after, where only the surroundings are shown
const kTop = 34;        // room for the axis
const kGap = 62;        // between lanes of the story: room for arrows and their labels

const kScopes = [
  ['story', 'Only these', 'The transactions of the argument'],
  ['near', 'Around', 'And their neighbours in the same sessions'],
  ['all', 'All', 'All transactions on this page']
];
const kAxes = [
  ['order', 'Order', 'Starts and ends in their order, as wide as their text needs'],
  ['time', 'Time', 'Starts and ends to scale']
];

const view = {
  story: 0,
  mode: 'lanes',
  scope: 'near',
  axis: 'order',
  chapter: 0
};

const clipped = (text, most) =>
    (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

function linesOf(txn, story) {
  const name = story && story.names.get(txn.place);
  if (!name) return [{text: txn.id}];
  const outcome = txn.status === 0 ? '' : ` (${['', 'aborted', 'unknown'][txn.status]})`;
  const lines = [{text: `${name} = ${txn.id}${outcome}`, title: true}];
  const member = story.txns.find((each) => each.txn === txn.place);
  const texts = new Map(txn.ops.map((op) => [op[0], op[2]]));
  const bad = member === story.txns[0] ? story.bad_op : null;
  // A long list of operations keeps the one that cannot be.
  let ops = member.ops.slice();
  if (ops.length > kOpsInBox) {
    ops = ops.filter((op, at) => op === bad || at < kOpsInBox - 2 || at === ops.length - 1);
    ops = ops.slice(0, kOpsInBox - 1);
  }
  for (const op of ops) {
    const text = member.told[op] || texts.get(op) || '';
    lines.push({text: clipped(text, kTextInBox), bad: op === bad});
  }
  if (member.ops.length > ops.length)
    lines.push({text: `+${member.ops.length - ops.length} more`});
  return lines;
}

function txnsInScope(story) {
  if (!story || view.scope === 'all') return data.txns;
  const cast = new Set(story.names.keys());
  if (view.scope === 'story') return data.txns.filter((txn) => cast.has(txn.place));
  const sessions = d3.nest().key((txn) => txn.session).map(data.txns);
  const shown = new Set(cast);
  for (const place of cast) {
    const session = sessions.get(data.txns[place].session);
    const at = session.findIndex((txn) => txn.place === place);
    for (const txn of session.slice(Math.max(0, at - kNear), at + kNear + 1))
      shown.add(txn.place);
  }
  return data.txns.filter((txn) => shown.has(txn.place));
}

const isTimed = (txn) => txn.start !== null && txn.end !== null;

/**
 * Starts and ends in their order, each box at least as wide as its text: boxes overlap exactly
 * where the transactions do. Without times one transaction follows the other.
 */
function placeByOrder(boxes) {
  const timed = boxes.every((box) => isTimed(box.txn));
  const points = [];
  for (const box of boxes) {
    const {start, end, number} = box.txn;
    points.push(
        {box, at: timed ? start : number, end: 0}, {box, at: timed ? end : number, end: 1});
  }
  points.sort(
      (a, b) => a.at - b.at ||
          (timed ? a.end - b.end || a.box.txn.number - b.box.txn.number :
                   a.box.txn.number - b.box.txn.number || a.end - b.end));
  let x = 0;
  for (const point of points) {
    x += point.box.member ? 16 : 7;
    if (point.end) x = Math.max(x, point.box.x0 + point.box.width);
    point.box[point.end ? 'x1' : 'x0'] = x;
  }
}

function placeByTime(boxes) {
  for (const box of boxes) {
    box.x0 = box.txn.start;
    box.x1 = box.txn.end;
  }
}

/** Several arrows to one other box need places for their labels beside each other. */
function roomForArrows(story, txn) {
  const chapter = story.chapters[view.chapter];
  const labels = new Map();
  (chapter ? chapter.arrows : []).forEach((index, at) => {
    const arrow = story.arrows[index];
    if (arrow.from !== txn.place && arrow.to !== txn.place) return;
    const other = arrow.from === txn.place ? arrow.to : arrow.from;
    labels.set(other, [...(labels.get(other) || []), labelOf(arrow, at + 1).length]);
  });
  const needs = [...labels.values()]
                    .filter((lengths) => lengths.length > 1)
                    .map(
                        (lengths) => (Math.max(...lengths) * kLabelCharacter + 14) *
                            (lengths.length + 1));
  return Math.max(0, ...needs);
}

/** How many arrows of the case have both ends in a session: they are drawn above its lane. */
function arcsBySession(story) {
  const chapter = story.chapters[view.chapter];
  const arcs = new Map();
  for (const index of chapter ? chapter.arrows : []) {
    const {from, to} = story.arrows[index];
    const session = data.txns[from].session;
    if (session === data.txns[to].session) arcs.set(session, (arcs.get(session) || 0) + 1);
  }
  return arcs;
}

function boxOf(txn, story) {
  const lines = linesOf(txn, story);
  const longest = Math.max(...lines.map((line) => line.text.length));
  const member = Boolean(story && story.names.has(txn.place));
  const text = view.scope === 'all' && !member ? kNarrow : longest * kCharacter + 14;
  return {txn, lines, member, width: Math.max(text, member ? roomForArrows(story, txn) : 0)};
}

/**
 * Places the boxes. Where the story does not fit otherwise, the others go without their names.
 */
function placeBoxes(boxes, timed, room) {
  if (timed) return placeByTime(boxes);
  placeByOrder(boxes);
  const members = boxes.filter((box) => box.member);
  if (members.length === 0) return;
  const extent = d3.max(members, (box) => box.x1) - d3.min(members, (box) => box.x0);
  if (extent < room) return;
  for (const box of boxes)
    if (!box.member) box.width = Math.min(box.width, kNarrow);
  placeByOrder(boxes);
}

/** Boxes, lanes from top to bottom, and whether times are used. */
function arrange(story, room) {
  const boxes = txnsInScope(story).map((txn) => boxOf(txn, story));
  const timed = view.axis === 'time' && boxes.some((box) => isTimed(box.txn));
  const placed = timed ? boxes.filter((box) => isTimed(box.txn)) : boxes;
  placeBoxes(placed, timed, room);
  const lanes = new Map();
  for (const box of placed) {
    const lane = lanes.get(box.txn.session) ||
        {session: box.txn.session, boxes: [], member: false, lines: 1, first: Infinity};
    lane.boxes.push(box);
    if (box.member) {
      lane.member = true;
      lane.first = Math.min(lane.first, Number(story.names.get(box.txn.place).slice(1)));
    }
    lane.lines = Math.max(lane.lines, box.lines.length);
    lanes.set(box.txn.session, lane);
  }
  const order = [...lanes.values()].sort(
      (a, b) => a.first - b.first ||
          data.sessions[a.session].localeCompare(
              data.sessions[b.session], 'en', {numeric: true}));
  let y = kTop + 8;
  const arcs = story ? arcsBySession(story) : new Map();
  order.forEach((lane, index) => {
    const above = arcs.get(lane.session) || 0;
    y += above > 0 ? kArc * above + 16 : 0;
    lane.y = y;
    lane.height = lane.lines * kLine + 10;
    const below = order[index + 1];
    y += lane.height + (lane.member && below && below.member ? kGap : 12);
    for (const box of lane.boxes) {
      box.lane = lane;
      box.height = (box.member ? box.lines.length : 1) * kLine + 10;
      box.top = lane.y + (lane.height - box.height) / 2;
    }
  });
  return {
    boxes: placed,
    lanes: order,
    height: y + 6,
    timed,
    at: new Map(placed.map((box) => [box.txn.place, box]))
  };
}

const lanes = {
  svg: null,
  zoom: null,
  scene: null,
  width: 0,
  gutter: 0,
  focused: null
};

/** From what boxes use to pixels, before zooming. */
function baseScale(scene) {
  const low = d3.min(scene.boxes, (box) => box.x0);
  const high = d3.max(scene.boxes, (box) => box.x1);
  const from = lanes.gutter + 8;
  const room = Math.max(lanes.width - from - 12, 50);
  const extent = Math.max(high - low, 1e-9);
  const range = scene.timed ? room : extent;
  return d3.scaleLinear().domain([low, low + extent]).range([from, from + range]);
}

/** The part of the picture that the reader should see first. */
function fitTransform(scene) {
  const members = scene.boxes.filter((box) => box.member);
  const boxes = members.length > 0 ? members : scene.boxes.slice(0, 40);
  const scale = baseScale(scene);
  const left = scale(d3.min(boxes, (box) => box.x0));
  const right = scale(d3.max(boxes, (box) => box.x1));
  const room = lanes.width - lanes.gutter - 24;
  const share = scene.timed ? 0.5 : 0.94;
  const [least, most] = lanes.zoom.scaleExtent();
  let k = (room * share) / Math.max(right - left, 1e-9);
  if (!scene.timed) k = Math.min(k, 1);
  k = Math.max(least, Math.min(most, k));
  const middle = (left + right) / 2;
  return d3.zoomIdentity.translate(lanes.gutter + 12 + room / 2 - k * middle, 0).scale(k);
}

function drawLanes() {
  const figure = byId('lanes');
  const story = data.stories[view.story] || null;
  lanes.width = Math.max(figure.clientWidth, 300);
  const scene = arrange(story, lanes.width * 0.9);
  figure.replaceChildren();
  lanes.scene = scene;
  if (scene.boxes.length === 0) {
    figure.append(el('p', {class: 'caption'}, 'There are no transactions to show.'));
    return;
  }
  const longest = d3.max(scene.lanes, (lane) => data.sessions[lane.session].length);
  lanes.gutter = Math.min(lanes.width * 0.22, Math.max(60, longest * 7 + 20));
  const svg = d3.select(figure)
                  .append('svg')
                  .attr('width', lanes.width)
                  .attr('height', scene.height)
                  .attr('role', 'group')
                  .attr('aria-label', 'Transactions by session; arrow keys move between them');
  lanes.svg = svg;
  for (const kind of Object.keys(kKinds)) {
    svg.append('defs')
        .append('marker')
        .attr('id', `head-${kindClass(kind)}`)
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
  svg.append('g')
      .attr('class', 'rows')
      .selectAll('line')
      .data(scene.lanes)
      .enter()
      .append('line')
      .attr('class', 'lane-line')
      .attr('x1', 0)
      .attr('x2', lanes.width)
      .attr('y1', (lane) => lane.y + lane.height / 2)
      .attr('y2', (lane) => lane.y + lane.height / 2);
  drawBoxes(svg, scene, story);
  svg.append('g').attr('class', 'arrows');
  drawGutter(svg, scene);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${kTop - 8})`);
  startZoom(svg, scene);
}

function drawGutter(svg, scene) {
  const gutter = svg.append('g');
  gutter.append('rect')
      .attr('class', 'gutter')
      .attr('width', lanes.gutter)
      .attr('height', scene.height);
  gutter.append('text')
      .attr('class', 'axis-title')
      .attr('x', 8)
      .attr('y', kTop - 14)
      .text('session');
  const most = Math.floor((lanes.gutter - 12) / 6.2);
  gutter.selectAll('text.lane-name')
      .data(scene.lanes)
      .enter()
      .append('text')
      .attr('class', (lane) => `lane-name${lane.member ? ' cast' : ''}`)
      .attr('x', 8)
      .attr('y', (lane) => lane.y + lane.height / 2 + 4)
      .text((lane) => clipped(data.sessions[lane.session], most))
      .append('title')
      .text((lane) => `session ${data.sessions[lane.session]}`);
}

function boxLabel(box, story) {
  const ops = box.txn.ops.slice(0, 8).map((op) => op[2]).join(', ');
  return `${txnTitle(box.txn, story)}, ${txnFacts(box.txn)}: ${ops}`;
}

/**
 * Names of the transactions that the step shown speaks of; all where there is one step only.
 */
function spokenOf(story) {
  const chapter = story && story.chapters.length > 1 ? story.chapters[view.chapter] : null;
  if (!chapter) return null;
  const texts = chapter.arrows.map((index) => {
    const arrow = story.arrows[index];
    return `${arrowTitle(story, arrow)} ${arrow.because}`;
  });
  return new Set([chapter.heading, ...texts].join(' ').match(/\bT\d+\b/g));
}

function boxClass(box, spoken) {
  const idle = box.member && spoken && !spoken.has(box.lines[0].text.split(' = ')[0]);
  return `txn s${box.txn.status}${box.member ? ' cast' : ''}${idle ? ' idle' : ''}`;
}

function drawBoxes(svg, scene, story) {
  const spoken = spokenOf(story);
  const groups =
      svg.append('g')
          .attr('class', 'boxes')
          .selectAll('g')
          .data(scene.boxes)
          .enter()
          .append('g')
          .attr('class', (box) => boxClass(box, spoken))
          .attr('data-txn', (box) => box.txn.place)
          .attr('role', 'button')
          .attr('tabindex', -1)
          .attr('aria-label', (box) => boxLabel(box, story))
          .on('mousemove', (box) => tip.show(d3.event, describeTxn(box.txn, story, 14)))
          .on('mouseleave', tip.hide)
          .on('focus', (box) => focusBox(box, false))
          .on('blur', tip.hide)
          .on('click', (box) => {
            tip.hide();
            keep(box.txn.place, null);
          });
  groups.append('rect')
      .attr('rx', 3)
      .attr('y', (box) => box.top)
      .attr('height', (box) => box.height);
  groups.each(function lines(box) {
    box.node = this;
    box.texts = box.lines.map((line, index) => {
      const text = d3.select(this)
                       .append('text')
                       .text(line.text)
                       .attr('y', box.top + 16 + index * kLine)
                       .attr(
                           'class',
                           line.title   ? 'title' :
                               line.bad ? 'bad' :
                                          null);
      return {node: text.node(), needs: line.text.length * kCharacter + 8, line};
    });
  });
  const first = scene.boxes.find((box) => box.member) || scene.boxes[0];
  first.node.setAttribute('tabindex', 0);
  lanes.focused = first;
}

function startZoom(svg, scene) {
  const most = scene.timed ? 1e7 : 8;
  const extent = d3.max(scene.boxes, (box) => box.x1) - d3.min(scene.boxes, (box) => box.x0);
  const least = scene.timed ? 0.8 : Math.min(0.5, lanes.width / Math.max(extent, 1) / 2);
  const ends = baseScale(scene).range();
  const margin = lanes.width / 3;
  lanes.zoom = d3.zoom()
                   .scaleExtent([least, most])
                   .extent([[lanes.gutter, 0], [lanes.width, scene.height]])
                   .translateExtent([[ends[0] - margin, 0], [ends[1] + margin, scene.height]])
                   .filter(
                       () => !d3.event.button &&
                           (d3.event.type !== 'wheel' || d3.event.ctrlKey || d3.event.metaKey ||
                            d3.event.shiftKey))
                   .on('zoom', () => placeAll(d3.event.transform));
  svg.call(lanes.zoom).on('dblclick.zoom', null);
  svg.call(lanes.zoom.transform, fitTransform(scene));
}

function placeAll(transform) {
  const scene = lanes.scene;
  const scale = transform.rescaleX(baseScale(scene));
  for (const box of scene.boxes) {
    box.left = scale(box.x0);
    box.right = Math.max(scale(box.x1), box.left + (box.member ? 8 : 3));
    const rect = box.node.firstChild;
    const outside = box.right < lanes.gutter || box.left > lanes.width;
    box.node.style.display = outside ? 'none' : '';
    if (outside) continue;
    rect.setAttribute('x', box.left);
    rect.setAttribute('width', box.right - box.left);
    for (const {node, needs, line} of box.texts) {
      // The name of a transaction of the story is cut rather than left out.
      const room = box.right - box.left;
      const short = line.title && room < needs ? line.text.split(' = ')[0] : line.text;
      const fits = room >= Math.min(needs, short.length * kCharacter + 6);
      node.setAttribute('x', Math.max(box.left, Math.min(lanes.gutter, box.right - needs)) + 5);
      node.style.display = fits ? '' : 'none';
      if (line.title) node.textContent = short;
    }
  }
  drawAxis(scale, scene);
  drawArrows(scene);
}

function drawAxis(scale, scene) {
  const group = lanes.svg.select('g.axis');
  group.selectAll('*').remove();
  if (!scene.timed) {
    const timed = scene.boxes.every((box) => isTimed(box.txn));
    group.append('text')
        .attr('class', 'axis-title')
        .attr('x', lanes.gutter + 8)
        .attr('y', -6)
        .text(
            timed ? 'order of starts and ends \u2192' :
                    'order of the input (no times recorded) \u2192');
    return;
  }
  const from = lanes.gutter + 4;
  const shown =
      d3.scaleLinear().domain([scale.invert(from), scale.invert(lanes.width - 4)]).range([
        from, lanes.width - 4
      ]);
  const ticks = Math.max(2, Math.floor((lanes.width - from) / 120));
  group.call(timeAxis(d3.axisTop, shown, ticks));
}

function boxesByKeyboard(key) {
  const box = lanes.focused;
  const lane = box.lane.boxes.slice().sort((a, b) => a.x0 - b.x0);
  if (key === 'ArrowLeft') return lane[lane.indexOf(box) - 1];
  if (key === 'ArrowRight') return lane[lane.indexOf(box) + 1];
  const rows = lanes.scene.lanes;
  const other = rows[rows.indexOf(box.lane) + (key === 'ArrowUp' ? -1 : 1)];
  if (!other) return undefined;
  const middle = (each) => (each.x0 + each.x1) / 2;
  return other.boxes[d3.scan(
      other.boxes,
      (a, b) => Math.abs(middle(a) - middle(box)) - Math.abs(middle(b) - middle(box)))];
}

/** Makes the box the one that Tab leads to, brings it into the picture, and tells about it. */
function focusBox(box, move) {
  lanes.focused.node.setAttribute('tabindex', -1);
  lanes.focused = box;
  box.node.setAttribute('tabindex', 0);
  const middle = (box.left + box.right) / 2;
  if (middle < lanes.gutter + 20 || middle > lanes.width - 20) {
    const k = d3.zoomTransform(lanes.svg.node()).k;
    const target = (lanes.gutter + lanes.width) / 2;
    lanes.svg.call(lanes.zoom.translateBy, (target - middle) / k, 0);
  }
  if (move) {
    box.node.focus();
    tip.show({target: box.node}, describeTxn(box.txn, data.stories[view.story], 14));
  }
}

function lanesKey(event) {
  if (!['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Enter', ' '].includes(event.key))
    return;
  if (!event.target.classList.contains('txn')) return;
  event.preventDefault();
  if (event.key === 'Enter' || event.key === ' ') return keep(lanes.focused.txn.place, null);
  const box = boxesByKeyboard(event.key);
  if (box) focusBox(box, true);
}

function zoomBy(factor) {
  if (!lanes.scene || lanes.scene.boxes.length === 0) return;
  if (factor)
    lanes.svg.call(lanes.zoom.scaleBy, factor);
  else
    lanes.svg.call(lanes.zoom.transform, fitTransform(lanes.scene));
}

function markKept() {
  if (!lanes.scene) return;
  for (const box of lanes.scene.boxes) {
    box.node.classList.toggle('kept', box.txn.place === kept.txn);
  }
  if (lanes.scene.boxes.length > 0) drawArrows(lanes.scene);
}
