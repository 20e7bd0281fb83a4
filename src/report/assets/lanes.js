// The picture: a lane for each session, transactions as boxes from start to end, and the arrows
// of the story. D3 does scales, axes, zoom and curves.

const lanes = {
  svg: null,
  zoom: null,
  scene: null,
  width: 0,
  gutter: 0,
  focused: null
};
const kShare = 0.94;      // of the width, for the story
const kTimedShare = 0.5;  // likewise, where boxes are to scale

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

/** Where the session ran: "on n1, n2"; empty where the history does not tell. */
function serverText(session) {
  const servers = [...serversOf[session]].map(shortServer);
  return servers.length > 0 ? `on ${servers.join(', ')}` : '';
}

/** Names of sessions and servers have room at the left, but not much of it. */
function setWidths(scene) {
  const longest =
      d3.max(
          scene.lanes,
          ({session}) => Math.max(data.sessions[session].length, serverText(session).length)) ||
      0;
  lanes.gutter = Math.min(lanes.width * 0.22, Math.max(60, longest * 7 + 20));
}

const widthForStory = () => lanes.width - lanes.gutter - 24;

/** The scene for the width that there is: long operations are broken where they have to be. */
function arrangeForWindow(story) {
  lanes.width = Math.max(byId('story-panel').clientWidth - 2, 300);
  let scene = null;
  for (const most of kWraps) {
    scene = arrange(story, lanes.width * 0.9, most);
    setWidths(scene);
    if (hasRoom(scene) && (!scene.timed || fitsToScale(scene))) return scene;
  }
  if (!scene.timed) return scene;
  // Boxes to scale may be narrower than any text: one line for each operation, as much of it as
  // there is room for, keeps the story on the first screen. Zooming in shows the rest.
  scene = arrange(story, lanes.width * 0.9, Infinity);
  setWidths(scene);
  return scene;
}

/** Whether boxes to scale are as wide as their texts, when the story is shown first. */
function fitsToScale(scene) {
  const members = scene.boxes.filter((box) => box.member);
  const span = d3.max(members, reachOf) - d3.min(members, (box) => box.x0);
  const scale = (widthForStory() * kTimedShare) / Math.max(span, 1e-9);
  return members.every(
      (box) => box.txn.endless ||
          (box.x1 - box.x0) * scale >= Math.max(...box.lines.map(columnsOf)) * kCharacter + 14);
}

/** Whether lanes have room for all texts of the story side by side. */
const fitsLanes = (story) => hasRoom(arrangeForWindow(story));

function hasRoom(scene) {
  const members = scene.boxes.filter((box) => box.member);
  if (members.length === 0) return true;
  const extent = d3.max(members, reachOf) - d3.min(members, (box) => box.x0);
  return scene.timed || extent <= kShare * widthForStory();
}

/** The part of the picture that the reader should see first. */
function fitTransform(scene) {
  const members = scene.boxes.filter((box) => box.member);
  const boxes = members.length > 0 ? members : scene.boxes.slice(0, 40);
  const scale = baseScale(scene);
  const left = scale(d3.min(boxes, (box) => box.x0));
  const right = scale(d3.max(boxes, reachOf));
  const room = widthForStory();
  const share = scene.timed ? kTimedShare : kShare;
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
  const scene = arrangeForWindow(story);
  figure.replaceChildren();
  lanes.scene = scene;
  if (scene.boxes.length === 0) {
    figure.append(el('p', {class: 'caption'}, 'There are no transactions to show.'));
    return;
  }
  const svg = d3.select(figure)
                  .append('svg')
                  .attr('width', lanes.width)
                  .attr('height', scene.height)
                  .attr('role', 'group')
                  .attr('aria-label', 'Transactions by session; arrow keys move between them');
  lanes.svg = svg;
  drawHeads(svg, 'lanes');
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
  drawFades(svg);
  drawEvents(svg, scene);
  drawBoxes(svg, scene, story);
  svg.append('g').attr('class', 'arrows');
  svg.append('g').attr('class', 'held').style('display', 'none');
  drawGutter(svg, scene);
  svg.append('g').attr('class', 'axis').attr('transform', `translate(0,${kTop - 8})`);
  startZoom(svg, scene);
}

const laneText =
    ({session}) => [`session ${data.sessions[session]}`, [...serversOf[session]].join(', ')]
                       .filter(Boolean)
                       .join(' on ');

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
  if (scene.events.length > 0) {
    gutter.append('text')
        .attr('class', 'axis-title')
        .attr('x', 8)
        .attr('y', kTop + 10)
        .text('events');
  }
  const most = Math.floor((lanes.gutter - 12) / 6.2);
  gutter.selectAll('text.lane-name')
      .data(scene.lanes)
      .enter()
      .append('text')
      .attr('class', (lane) => `lane-name${lane.member ? ' cast' : ''}`)
      .attr('x', 8)
      .attr('y', ({session, y, height}) => y + height / 2 + (serverText(session) ? -2 : 4))
      .text((lane) => clipped(data.sessions[lane.session], most))
      .append('title')
      .text(laneText);
  gutter.selectAll('text.lane-server')
      .data(scene.lanes.filter(({session}) => serverText(session)))
      .enter()
      .append('text')
      .attr('class', 'lane-server')
      .attr('x', 8)
      .attr('y', (lane) => lane.y + lane.height / 2 + 10)
      .text((lane) => clipped(serverText(lane.session), most))
      .append('title')
      .text(laneText);
}

function boxLabel(box, story) {
  const ops = box.txn.ops.slice(0, 8).map((op) => op[2]).join(', ');
  return `${txnTitle(box.txn, story)}, ${txnFacts(box.txn)}: ${ops}`;
}

function boxClass(box, story) {
  const classes = ['txn', `s${box.txn.status}`];
  if (box.member || box.idle) classes.push('cast');
  if (box.idle) classes.push('idle');
  if (box.txn.open) classes.push('open');
  if (box.lines.some((line) => line.bad)) classes.push('wrong');
  return classes.join(' ');
}

/** Boxes that are open to the right fade out there. */
function drawFades(svg) {
  for (const name of ['box', 'cast']) {
    const fade = svg.append('defs').append('linearGradient').attr('id', `fade-${name}`);
    for (const [offset, opacity] of [[0.5, 1], [1, 0]]) {
      fade.append('stop')
          .attr('offset', offset)
          .attr('class', `fade-${name}`)
          .attr('stop-opacity', opacity);
    }
  }
}

function drawBoxes(svg, scene, story) {
  const groups =
      svg.append('g')
          .attr('class', 'boxes')
          .selectAll('g')
          .data(scene.boxes)
          .enter()
          .append('g')
          .attr('class', (box) => boxClass(box, story))
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
    let row = 0;
    box.texts = box.lines.map((line) => {
      const text = d3.select(this)
                       .append('text')
                       .attr('y', box.top + scene.heights.first + row * scene.heights.line)
                       .attr(
                           'class',
                           line.title    ? 'title' :
                               line.when ? 'when' :
                               line.bad  ? 'bad' :
                                           null);
      row += line.parts ? line.parts.length : 1;
      return {node: text.node(), needs: columnsOf(line) * kCharacter + 8, line};
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
                   .on('zoom',
                       () => {
                         holdTouched(d3.event.sourceEvent);
                         placeAll(d3.event.transform);
                       })
                   .on('end', () => lanes.svg.select('g.held').selectAll('*').remove());
  svg.call(lanes.zoom).on('dblclick.zoom', null);
  svg.call(lanes.zoom.transform, fitTransform(scene));
}

/**
 * What a finger went down on tells where it moves only while it is in the document, and arrows
 * and axis are drawn anew each time.
 */
function holdTouched(event) {
  const held = lanes.svg.select('g.held').node();
  for (const {target} of (event && event.touches) || [])
    if (target.closest('g.arrows, g.axis')) held.append(target);
}

/** An operation in the lines that it takes, or as much of it as fits into one. */
function placeOperation({node, needs, line}, box, x) {
  const room = box.right - box.left;
  const whole = room >= needs;
  const size = Math.max(1, Math.floor((room - 6) / kCharacter));
  const parts = whole ? line.parts : [clipped(line.text, size)];
  const left = whole ? x : box.left + Math.min(5, Math.max(0, (room - kCharacter) / 2));
  node.style.display = '';
  node.replaceChildren();
  parts.forEach((part, at) => {
    d3.select(node)
        .append('tspan')
        .attr('x', left + (at > 0 ? kIndent * kCharacter : 0))
        .attr('dy', at > 0 ? lanes.scene.heights.line : 0)
        .text(part);
  });
}

/**
 * The lines of a box: those that fit into it. The name of one of the story is always there, and
 * of an operation without room that there is one.
 */
function placeTexts(box) {
  const room = box.right - box.left;
  box.outside = null;
  for (const each of box.texts) {
    const {node, needs, line} = each;
    const short = line.title && room < needs ? line.text.split(' = ')[0] : line.text;
    const fits = room >= Math.min(needs, short.length * kCharacter + 6);
    const x = Math.max(box.left, Math.min(lanes.gutter, box.right - needs)) + 5;
    if (line.parts) {
      placeOperation(each, box, x);
      continue;
    }
    node.setAttribute('x', x);
    node.style.display = fits ? '' : 'none';
    node.textContent = short;
    if (!line.title) continue;
    node.setAttribute('y', box.top + lanes.scene.heights.first);
    node.classList.remove('outside');
    if (!fits && box.member) box.outside = {node, width: short.length * kCharacter};
  }
}

/** Of a text that begins at `x` with its foot at `y`. */
const nameRect = (x, y, width) => ({x0: x, x1: x + width, y0: y - 10, y1: y + 3, cost: 1000});

/** Places for a name outside of its box, best first: where it begins, and its foot. */
function placesOutside(box, width) {
  const middle = (box.left + box.right - width) / 2;
  const beside = box.top + box.height / 2 + 4;
  const places = [[box.right + 4, beside]];
  for (const shift of [0, -0.5, 0.5, -1, 1, -1.5, 1.5]) {
    for (const row of [0, 1, 2, 3]) {
      const x = middle + shift * width;
      places.push([x, box.top - 5 - row * 12], [x, box.top + box.height + 12 + row * 12]);
    }
  }
  places.push([box.left - 4 - width, beside]);
  return places;
}

/** Beyond the sides of the picture, or among the events and the times of the axis. */
function isAstray(scene, {x0, x1, y0}) {
  const top = scene.lanes[0].y - 16;
  return x0 < lanes.gutter || x1 > lanes.width || y0 < top;
}

/**
 * Names that have no room in their boxes go where they cover neither boxes nor each other: to
 * the right, above or below.
 */
function placeNamesOutside(scene) {
  const taken = scene.boxes.filter((box) => box.shown).map(boxRect);
  scene.names = [];
  for (const box of scene.boxes) {
    if (!box.shown || !box.outside) continue;
    const {node, width} = box.outside;
    let best = null;
    for (const [x, y] of placesOutside(box, width)) {
      const rect = nameRect(x, y, width);
      const covered = [...taken, ...scene.names].filter((other) => overlap(rect, other)).length;
      const cost = covered + (isAstray(scene, rect) ? 1 : 0);
      if (best === null || cost < best.cost) best = {x, y, rect, cost};
      if (cost === 0) break;
    }
    scene.names.push(best.rect);
    node.setAttribute('x', best.x);
    node.setAttribute('y', best.y);
    node.classList.add('outside');
    node.style.display = '';
  }
}

/**
 * All sides but the right one: dashes begin behind the upper left corner, and go round
 * clockwise; corners are rounded by 3.
 */
const openSide = (width, height) =>
    `${Math.max(width - 6, 1)} ${height + 3.4} ${2 * (width + height)}`;

function placeAll(transform) {
  const scene = lanes.scene;
  const scale = transform.rescaleX(baseScale(scene));
  for (const box of scene.boxes) {
    box.left = scale(box.x0);
    box.right = Math.max(scale(box.x1), box.left + (box.member ? 8 : 3));
    if (box.txn.endless) box.right = Math.max(box.left + 8, lanes.width - 6);
    box.reach = box.txn.endless ? Math.min(box.right, box.left + box.width) : box.right;
    const rect = box.node.firstChild;
    box.shown = box.right >= lanes.gutter && box.left <= lanes.width;
    box.node.style.display = box.shown ? '' : 'none';
    if (!box.shown) continue;
    rect.setAttribute('x', box.left);
    rect.setAttribute('width', box.right - box.left);
    if (box.txn.open)
      rect.setAttribute('stroke-dasharray', openSide(box.right - box.left, box.height));
    placeTexts(box);
  }
  placeNamesOutside(scene);
  placeEvents(scene, scale);
  drawAxis(scale, scene);
  drawArrows(scene);
}

function drawAxis(scale, scene) {
  const group = lanes.svg.select('g.axis');
  group.selectAll('*').remove();
  if (!scene.timed) {
    group.append('text')
        .attr('class', 'axis-title')
        .attr('x', lanes.gutter + 8)
        .attr('y', -6)
        .text(
            data.clocked ? `order of starts and ends${
                               data.order_only ? ' (no times recorded)' : ''} \u2192` :
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
  // Texts at the sides would be cut off, or run into the heading of the sessions.
  group.selectAll('.tick text')
      .filter(function meetsSide() {
        const {left, right} = this.getBoundingClientRect();
        const side = lanes.svg.node().getBoundingClientRect().left;
        return left < side + lanes.gutter || right > side + lanes.width;
      })
      .remove();
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
  const onEvent = event.target.classList.contains('event');
  if (!onEvent && !event.target.classList.contains('txn')) return;
  event.preventDefault();
  if (onEvent) return eventsKey(event);
  if (event.key === 'Enter' || event.key === ' ') return keep(lanes.focused.txn.place, null);
  const box = boxesByKeyboard(event.key);
  if (box) return focusBox(box, true);
  const above = event.key === 'ArrowUp' &&
      lanes.scene.events.find(({node}) => node.style.display !== 'none');
  if (above) focusEvent(above);
}

function zoomBy(factor) {
  if (view.mode !== 'lanes' || !lanes.scene || lanes.scene.boxes.length === 0) return;
  if (factor)
    lanes.svg.call(lanes.zoom.scaleBy, factor);
  else
    lanes.svg.call(lanes.zoom.transform, fitTransform(lanes.scene));
}

function markKept() {
  if (view.mode !== 'lanes' || !lanes.scene) return;
  for (const box of lanes.scene.boxes) {
    box.node.classList.toggle('kept', box.txn.place === kept.txn);
  }
  if (lanes.scene.boxes.length > 0) drawArrows(lanes.scene);
}
