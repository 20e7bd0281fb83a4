// What happened beside the transactions, faults and the like: a lane of its own above those of
// the sessions, so that no label covers a box, and a shade behind the boxes.

const kEventRow = 16;
const kEventRows = 3;

const eventName = ({kind, what}) => what || kind;
const eventEnd = ({at, until, open}) => (open ? Infinity : until === null ? at : until);

function eventTime({at, until, open}) {
  const text = data.order_only ? String :
      data.calendar            ? (time) => `${wallClock(time)} UTC` :
                                 duration;
  if (open) return `from ${text(at)} on; no end recorded`;
  return until === null ? `at ${text(at)}` :
                          `from ${text(at)} to ${text(until)}` +
          (data.order_only ? '' : ` (${duration(until - at)})`);
}

const describeEvent = (event) =>
    [el('h4', {}, eventName(event)), el('p', {}, `${event.kind} ${eventTime(event)}`)];

/** Those that happened while one of the transactions may have run. */
function eventsDuring(txns) {
  if (!data.clocked || txns.length === 0) return [];
  const from = d3.min(txns, (txn) => txn.from);
  const to = d3.max(txns, (txn) => (txn.endless ? Infinity : Math.max(txn.from, txn.to)));
  return data.events.filter((event) => event.at <= to && eventEnd(event) >= from);
}

/** ", the nearest 1.200 s before them: kill n1"; empty where the page has none of them. */
function nearestEventText(txns) {
  const shown = eventsDuring(txns);
  const from = d3.min(txns, (txn) => txn.from);
  const to = d3.max(txns, (txn) => Math.max(txn.from, txn.to));
  const others = data.events.filter((event) => !shown.includes(event))
                     .map((event) => ({
                            event,
                            before: event.at < from,
                            away: event.at < from ? from - eventEnd(event) : event.at - to
                          }));
  if (others.length === 0) return '';
  const {event, before, away} = others.reduce((a, b) => (b.away < a.away ? b : a));
  const far = data.order_only ? '' : `${duration(away)} `;
  return `, the nearest ${far}${before ? 'before' : 'after'} them: ${eventName(event)}`;
}

/** For a caption: how many did not happen during these transactions. */
function eventsLeftOutText(txns) {
  const others = data.events.length + data.events_left_out - eventsDuring(txns).length;
  if (others <= 0) return '';
  const nearest = data.clocked && txns.length > 0 ? nearestEventText(txns) : '';
  return ` ${plural(others, 'event')} at other times left out${nearest}.`;
}

function drawEvents(svg, scene) {
  const marks = svg.append('g')
                    .attr('class', 'events')
                    .selectAll('g')
                    .data(scene.events)
                    .enter()
                    .append('g')
                    .attr('class', 'event')
                    .attr('role', 'img')
                    .attr('tabindex', (mark, at) => (at === 0 ? 0 : -1))
                    .attr(
                        'aria-label',
                        ({event}) => `${eventName(event)}, ${event.kind} ${eventTime(event)}`)
                    .on('mousemove', ({event}) => tip.show(d3.event, describeEvent(event)))
                    .on('mouseleave', tip.hide)
                    .on('blur', tip.hide);
  marks.append('rect')
      .attr('class', 'shade')
      .attr('y', kTop)
      .attr('height', scene.height - kTop);
  marks.append('rect').attr('class', 'bar').attr('height', 3);
  marks.append('text').text(({event}) => clipped(eventName(event), 40));
  marks.each(function keepNode(mark) {
    mark.node = this;
  });
}

/**
 * Labels beside or below each other, where possible not on the bar of another one; a label that
 * has no room is left to the tip.
 */
function placeEvents(scene, scale) {
  const ends = new Array(kEventRows).fill(-Infinity);
  const bars = ends.slice();
  for (const mark of scene.events) {
    const left = scale(mark.x0);
    const right = Math.max(scale(mark.x1), left + 3);
    const shown = right >= lanes.gutter && left <= lanes.width;
    mark.node.style.display = shown ? '' : 'none';
    if (!shown) continue;
    const [shade, bar, text] = mark.node.children;
    const from = Math.max(left, lanes.gutter);
    const width = Math.max(Math.min(right, lanes.width) - from, 1);
    const needs = text.textContent.length * kCharacter;
    const begin = Math.max(lanes.gutter + 2, Math.min(from, lanes.width - needs - 4));
    const clear = ends.findIndex((end, row) => Math.max(end, bars[row]) < begin);
    const free = clear >= 0 ? clear : ends.findIndex((end) => end < begin);
    const fits = free >= 0 && begin + needs <= lanes.width;
    const row = free >= 0 ? free : kEventRows - 1;
    if (fits) ends[row] = begin + needs + 8;
    bars[row] = Math.max(bars[row], right);
    for (const rect of [shade, bar]) {
      rect.setAttribute('x', from);
      rect.setAttribute('width', width);
    }
    bar.setAttribute('y', kTop + row * kEventRow + 13);
    text.setAttribute('x', begin);
    text.setAttribute('y', kTop + row * kEventRow + 10);
    text.style.display = fits ? '' : 'none';
  }
}

function focusEvent(mark) {
  for (const {node} of lanes.scene.events) node.setAttribute('tabindex', -1);
  mark.node.setAttribute('tabindex', 0);
  mark.node.focus();
  tip.show({target: mark.node.querySelector('.bar')}, describeEvent(mark.event));
}

function eventsKey(event) {
  const marks = lanes.scene.events.filter(({node}) => node.style.display !== 'none');
  const at = marks.findIndex(({node}) => node === event.target);
  if (event.key === 'ArrowDown') return focusBox(lanes.focused, true);
  const other = marks[at + (event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0)];
  if (other) focusEvent(other);
}

/** As lines of the list, which has no axis. */
function eventLines(txns) {
  const lines = eventsDuring(txns).map(
      (event) => el('li', {}, el('b', {}, eventName(event)), ` ${eventTime(event)}`));
  return lines.length === 0 ?
      [] :
      [el('ul', {class: 'facts happened', 'aria-label': 'What else happened'}, ...lines)];
}
