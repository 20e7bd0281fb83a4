// Where things go in the picture: which transactions, their boxes, and the lanes from top to
// bottom.

const kCharacter = 6.7;  // width of one in a box
const kNarrow = 22;      // width of a box without text
const kArc = 20;         // height of an arrow within a lane, and from one to the next
const kOpsInBox = 12;
const kServerInBox = 30;          // characters
const kWraps = [64, 48, 36, 28];  // characters in a line of an operation, best first
const kIndent = 2;                // characters before its further lines
const kNear = 3;     // transactions before and after, where only the surroundings are shown
const kTop = 34;     // room for the axis
const kGap = 62;     // between lanes of the story
const kGapFew = 54;  // at least, where lanes are two and labels may stand side by side

/**
 * Heights in boxes: of a line, from the top to the foot of the first one, and of what is not
 * lines; the least one between lanes; and where a label may be: on which side of its arrow, and
 * how much lower than the point of it. The letters have the same size in both.
 */
const kRoomy = {
  line: 14,
  first: 16,
  rest: 10,
  gap: 34,
  places: [[0, 0]]
};
const kDense = {
  line: 12,
  first: 13,
  rest: 7,
  gap: 22,
  places: [[0, 0], [0, -7], [0, 7], [1, 0], [-1, 0]]
};

const kScopes = [
  ['story', 'Only these', 'The transactions of the argument'],
  ['near', 'Around', 'And their neighbours in the same sessions or in the order found'],
  ['all', 'All', 'All transactions on this page']
];
const kAxes = [
  ['order', 'Order', 'Starts and ends in their order, as wide as their text needs'],
  ['time', 'Time', 'Starts and ends to scale']
];

/** How operations are told in boxes. */
const kLengths = [
  [
    'brief', 'Brief',
    'Rows with the columns that tell their versions apart, the beginnings of long texts'
  ],
  ['whole', 'Whole', 'Operations with all that is known of them']
];

const view = {
  story: 0,
  mode: 'lanes',
  chosen: false,  // the mode, by the reader
  scope: 'near',
  axis: 'order',
  length: 'brief',
  chapter: 0
};

const clipped = (text, most) =>
    (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

const kNothingTold = {
  told: {},
  brief: {}
};

/** Whether boxes of the story can tell less than all. */
const hasBrief = (story) => story.txns.some(({brief}) => Object.keys(brief).length > 0);

/**
 * What matters of the transaction, an operation each: repeated reads are one, as in the text.
 * Of more than `most` the first ones, the last one and what cannot be; and how many operations
 * are not among them.
 */
function mattersOf(txn, story, cast, most) {
  const texts = new Map(txn.ops.map((op) => [op[0], op[2]]));
  const {told, brief} = story.txns.find((member) => member.txn === txn.place) || kNothingTold;
  const shortened = view.length === 'brief' ? brief : {};
  const pieces = [];
  for (const op of cast.get(txn.place) || []) {
    const text = shortened[op] ?? told[op] ?? texts.get(op) ?? '';
    const bad = isBad(story, txn.place, op);
    const last = pieces[pieces.length - 1];
    if (told[op] === '' && last)  // another row of the same selection
      last.bad = last.bad || bad;
    else if (last && last.text === text && last.bad === bad)
      last.times += 1;
    else
      pieces.push({text, bad, times: 1});
  }
  let shown = pieces;
  if (pieces.length > most) {
    shown = pieces.filter(({bad}, at) => bad || at < most - 2 || at === pieces.length - 1);
    shown = shown.slice(0, most - 1);
  }
  const alone = txn.ops.filter(([op]) => told[op] !== '').length;
  const hidden = alone + (txn.hidden || 0) - d3.sum(shown, ({times}) => times);
  return {shown, hidden};
}

/** "T1 = a:4 (aborted)" */
function nameInStory(txn, story) {
  const outcome = txn.status === 0 ? '' : ` (${['', 'aborted', 'unknown'][txn.status]})`;
  return `${story.names.get(txn.place)} = ${txn.id}${outcome}`;
}

const timesOver = (times) => (times > 1 ? ` (${times}\u00d7)` : '');

/** Its place in the order that gets furthest, of what is not linearizable. */
function placeText(txn, story) {
  if (!story || !story.order || !story.order.in_boxes) return '';
  const {places, names, total} = story.order;
  const member = story.txns.findIndex((each) => each.txn === txn.place);
  const others = names.filter((name) => ![...story.names.values()].includes(name));
  const place = member >= 0   ? places[member] :
      others.includes(txn.id) ? total - names.length + names.indexOf(txn.id) + 1 :
                                0;
  return place ? `placed ${place} of ${total}` : '';
}

/** "at 07:45:07.573034 for 7.137 ms"; empty where that is not known. */
function whenText(txn) {
  if (txn.start === null) return '';
  const start = data.calendar ? wallClock(txn.start) : duration(txn.start);
  return isTimed(txn) ? `at ${start} for ${duration(txn.end - txn.start)}` : `from ${start} on`;
}

/**
 * Lines of at most `most` characters, at blanks where there are any; together they are the
 * text.
 */
function wrapped(text, most) {
  const parts = [];
  let rest = text;
  while (rest.length > most - (parts.length > 0 ? kIndent : 0)) {
    const room = most - (parts.length > 0 ? kIndent : 0);
    const blank = rest.lastIndexOf(' ', room);
    const size = blank > room / 3 ? blank + 1 : room;
    parts.push(rest.slice(0, size));
    rest = rest.slice(size);
  }
  return [...parts, rest].filter((part, at) => part || at === 0);
}

/**
 * What a box says; of one that belongs to other steps its name. `parts`: an operation in
 * lines.
 */
function linesOf(txn, story, cast, most) {
  if (!story || !story.names.has(txn.place))
    return [{text: [txn.id, placeText(txn, story)].filter(Boolean).join(', ')}];
  const {shown, hidden} = mattersOf(txn, story, cast, kOpsInBox);
  const lines = [{text: nameInStory(txn, story), title: true}];
  if (!cast.has(txn.place)) return lines;
  if (serversOf[txn.session].size > 1)
    lines.push({
      text: clipped(`on ${shortServer(txn.server || '') || 'an unknown server'}`, kServerInBox)
    });
  if (whenText(txn)) lines.push({text: whenText(txn), when: true});
  for (const {text, bad, times} of shown)
    lines.push({
      text: text + timesOver(times),
      parts: wrapped(text + timesOver(times), most),
      bad,
    });
  if (hidden > 0) lines.push({text: `+${hidden} more`});
  if (placeText(txn, story)) lines.push({text: placeText(txn, story)});
  return lines;
}

function txnsInScope(story, cast) {
  if (!story || view.scope === 'all') return data.txns;
  if (view.scope === 'story') return data.txns.filter((txn) => cast.has(txn.place));
  const sessions = d3.nest().key((txn) => txn.session).map(data.txns);
  const shown = new Set(cast.keys());
  for (const place of cast.keys()) {
    const session = sessions.get(data.txns[place].session);
    const at = session.findIndex((txn) => txn.place === place);
    for (const txn of session.slice(Math.max(0, at - kNear), at + kNear + 1))
      shown.add(txn.place);
  }
  return data.txns.filter((txn) => shown.has(txn.place) || placeText(txn, story));
}

const isTimed = (txn) => txn.start !== null && txn.end !== null;

/**
 * When each transaction ran, as far as it is known: `from`, `to`, and whether it is open to the
 * right, because nobody knows when, or whether, it took effect. Without an end it lasts until
 * the next one of its session, else for ever; without a start it follows the one before it.
 */
function setSpans() {
  const known = (txn) => txn.order || [txn.start, txn.end];
  const all = data.txns.flatMap(known).filter((time) => time !== null);
  data.clocked = all.length > 0;
  const last = d3.max(all) || 0;
  for (const {values} of d3.nest().key((txn) => txn.session).entries(data.txns)) {
    let before = 0;
    values.forEach((txn, at) => {
      const [start, end] = known(txn);
      const next = values.slice(at + 1).find((each) => known(each)[0] !== null);
      txn.placed = start !== null || end !== null;
      txn.endless = start !== null && end === null && !next;
      txn.open = txn.status === 2 || (start !== null && end === null);
      txn.from = start !== null ? start : end !== null ? Math.min(before, end) : before;
      txn.to = end !== null ? end : start === null ? before : next ? known(next)[0] : last;
      before = txn.to;
    });
  }
}

const numberOf = ({box}) => (box ? box.txn.number : -1);

/**
 * Starts and ends in their order, each box at least as wide as its text: boxes overlap exactly
 * where the transactions do. Without times one transaction follows the other.
 */
function placeByOrder(boxes, events) {
  const points = [];
  for (const mark of events) {
    const end = eventEnd(mark.event);
    points.push({event: mark, at: mark.event.at, end: 0});
    if (end > mark.event.at) points.push({event: mark, at: end, end: 1});
  }
  for (const box of boxes) {
    const {from, to, number} = box.txn;
    points.push({box, at: data.clocked ? from : number, end: 0});
    if (!box.txn.endless) points.push({box, at: data.clocked ? to : number, end: 1});
  }
  points.sort(
      (a, b) => a.at - b.at ||
          (data.clocked ? a.end - b.end || numberOf(a) - numberOf(b) :
                          numberOf(a) - numberOf(b) || a.end - b.end));
  let x = 0;
  for (const point of points) {
    if (point.event) {
      x += 7;
      if (!point.end) point.event.x0 = x;
      point.event.x1 = x;
      continue;
    }
    x += point.box.member ? 16 : 7;
    if (point.end) x = Math.max(x, point.box.x0 + point.box.width);
    point.box[point.end ? 'x1' : 'x0'] = x;
  }
  const endless = boxes.filter((box) => box.txn.endless);
  const end = Math.max(x + 16, d3.max(endless, (box) => box.x0 + box.width) || 0);
  for (const box of endless) box.x1 = end;
}

function placeByTime(boxes, events) {
  for (const mark of events) {
    mark.x0 = mark.event.at;
    mark.x1 = Math.min(eventEnd(mark.event), d3.max(boxes, (box) => box.txn.to));
  }
  for (const box of boxes) {
    box.x0 = box.txn.from;
    box.x1 = box.txn.to;
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

/** Numbers of all arrows of the step shown. */
function arrowsShown(story) {
  const chapter = story.chapters[view.chapter];
  return chapter ? [...new Set([...chapter.arrows, ...chapter.evidence])] : [];
}

/**
 * How high arrows within a lane go, from 1: above others only where they have to, short ones
 * below long ones.
 */
function arcLevels(story, at) {
  const arcs = [];
  for (const index of arrowsShown(story)) {
    const [from, to] =
        [story.arrows[index].from, story.arrows[index].to].map((end) => at.get(end));
    if (!from || !to || from.txn.session !== to.txn.session) continue;
    const ends = [from, to].map((box) => (box.x0 + reachOf(box)) / 2).sort((a, b) => a - b);
    arcs.push({index, session: from.txn.session, begin: ends[0], end: ends[1], level: 0});
  }
  arcs.sort((a, b) => (a.end - a.begin) - (b.end - b.begin) || a.index - b.index);
  for (const arc of arcs) {
    const below = arcs.filter(
        (other) => other.level > 0 && other.session === arc.session && other.begin < arc.end &&
            arc.begin < other.end);
    arc.level = 1 + Math.max(0, ...below.map((other) => other.level));
  }
  return arcs;
}

/** How many characters wide a line of a box is, or the lines that it is broken into. */
const columnsOf = ({text, parts}) =>
    (parts ?
         Math.max(...parts.map((part, at) => part.trimEnd().length + (at > 0 ? kIndent : 0))) :
         text.length);

function boxOf(txn, story, cast, most) {
  const lines = linesOf(txn, story, cast, most);
  const longest = Math.max(...lines.map(columnsOf));
  const member = cast.has(txn.place);
  const text = view.scope === 'all' && !member ? kNarrow : longest * kCharacter + 14;
  return {
    txn,
    lines,
    rows: d3.sum(lines, ({parts}) => (parts ? parts.length : 1)),
    member,
    idle: !member && Boolean(story && story.names.has(txn.place)),
    width: Math.max(text, member ? roomForArrows(story, txn) : 0)
  };
}

/** How much of an open box counts: what its text needs. */
const reachOf = (box) => (box.txn.endless ? Math.min(box.x1, box.x0 + box.width) : box.x1);

/**
 * Places the boxes. Where the story does not fit otherwise, the others go without their names.
 */
function placeBoxes(boxes, events, timed, room) {
  if (timed) return placeByTime(boxes, events);
  placeByOrder(boxes, events);
  const members = boxes.filter((box) => box.member);
  if (members.length === 0) return;
  const extent = d3.max(members, reachOf) - d3.min(members, (box) => box.x0);
  if (extent < room) return;
  for (const box of boxes)
    if (!box.member) box.width = Math.min(box.width, kNarrow);
  placeByOrder(boxes, events);
}

/**
 * The heights of the lanes of the story, and the gap between them: room for arrows and their
 * labels, less where there are none or lanes are many. Dense where the first screen of a wide
 * window has no room for the story otherwise.
 */
function heightsOf(order, arcs, arrows) {
  const members = order.filter((lane) => lane.member);
  const above = byId('toolbar').getBoundingClientRect().bottom + scrollY + 24;
  const left = (heights) => Math.max(innerHeight - above, 360) - kTop -
      d3.sum(members, (lane) => lane.lines * heights.line + heights.rest + 12) -
      d3.sum([...arcs.values()], (count) => kArc * count + 16);
  const gaps = Math.max(members.length - 1, 1);
  const few = members.length < 3 ? kGapFew : kRoomy.gap;
  const dense = innerWidth > kNarrowWindow && left(kRoomy) < few * gaps;
  const heights = dense ? kDense : kRoomy;
  if (arrows.length === 0) return heights;
  const least = dense ? kDense.gap : few;
  return {...heights, gap: Math.max(least, Math.min(kGap, left(heights) / gaps))};
}

function lanesOf(boxes, story) {
  const lanes = new Map();
  for (const box of boxes) {
    const lane = lanes.get(box.txn.session) ||
        {session: box.txn.session, boxes: [], member: false, lines: 1, first: Infinity};
    lane.boxes.push(box);
    if (box.member) {
      lane.member = true;
      lane.first = Math.min(lane.first, Number(story.names.get(box.txn.place).slice(1)));
    }
    lane.lines = Math.max(lane.lines, box.rows);
    lanes.set(box.txn.session, lane);
  }
  return [...lanes.values()].sort(
      (a, b) => a.first - b.first ||
          data.sessions[a.session].localeCompare(
              data.sessions[b.session], 'en', {numeric: true}));
}

/**
 * Boxes, lanes from top to bottom, and whether they are to scale. `most`: characters in a line
 * of an operation.
 */
function arrange(story, room, most) {
  const cast = story ? castOf(story) : new Map();
  const boxes = txnsInScope(story, cast).map((txn) => boxOf(txn, story, cast, most));
  const timed = view.axis === 'time' && data.clocked;
  const placed = timed ? boxes.filter((box) => box.txn.placed) : boxes;
  const events = eventsDuring(placed.map((box) => box.txn)).map((event) => ({event}));
  placeBoxes(placed, events, timed, room);
  const order = lanesOf(placed, story);
  let y =
      kTop + 8 + (events.length > 0 ? Math.min(events.length, kEventRows) * kEventRow + 6 : 0);
  const at = new Map(placed.map((box) => [box.txn.place, box]));
  const levels = story ? arcLevels(story, at) : [];
  const arcs = new Map();
  for (const {session, level} of levels)
    arcs.set(session, Math.max(level, arcs.get(session) || 0));
  const heights = heightsOf(order, arcs, story ? arrowsShown(story) : []);
  order.forEach((lane, index) => {
    const above = arcs.get(lane.session) || 0;
    y += above > 0 ? kArc * above + 16 : 0;
    lane.y = y;
    lane.height = lane.lines * heights.line + heights.rest;
    const below = order[index + 1];
    y += lane.height + (lane.member && below && below.member ? heights.gap : 12);
    for (const box of lane.boxes) {
      box.lane = lane;
      box.height = box.rows * heights.line + heights.rest;
      box.top = lane.y + (lane.height - box.height) / 2;
    }
  });
  return {
    boxes: placed,
    lanes: order,
    events,
    height: y + 6,
    heights,
    timed,
    left_out: boxes.length - placed.length,
    at,
    arcs: new Map(levels.map(({index, level}) => [index, level]))
  };
}
