// A watch as it goes on: what the page was given, then what its server says, by server-sent
// events, until the watch ends.

const kMinutes = 10;
const kLive = {
  height: 120,
  left: 64,
  right: 10,
  top: 8,
  bottom: 20
};
const kSvg = 'http://www.w3.org/2000/svg';
const state = {
  status: data.status,
  samples: data.samples,
  lost: false
};

function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(kSvg, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const grouped = (number) => Math.round(number).toLocaleString('en-US');
const fewDigits = (number) => Number(number.toPrecision(3)).toLocaleString('en-US');

function duration(seconds) {
  if (seconds === null) return '\u2013';
  if (seconds < 1) return `${fewDigits(seconds * 1000)} ms`;
  if (seconds < 120) return `${fewDigits(seconds)} s`;
  if (seconds < 7200) return `${fewDigits(seconds / 60)} min`;
  return `${fewDigits(seconds / 3600)} h`;
}

function bytes(number) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 1000 && unit + 1 < units.length) {
    number /= 1000;
    ++unit;
  }
  return `${fewDigits(number)} ${units[unit]}`;
}

const rate = (number) => `${fewDigits(number)}/s`;

const kGraphs = [
  {
    id: 'rate',
    title: 'Transactions read a second',
    text: rate,
    axis: grouped,
    lines: [['rate', '']]
  },
  {
    id: 'lag',
    title: 'Lag',
    text: duration,
    lines: [['lag', 'behind the clock'], ['unsettled', 'not settled yet']]
  },
  {id: 'memory', title: 'Memory', text: bytes, lines: [['memory', '']]}
];

/** A round number that is at least as large. */
function roundUp(number) {
  if (number <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((step) => step * power).find((limit) => limit >= number);
}

const timeText = (seconds) => new Date(seconds * 1000).toLocaleTimeString('en-GB');

/** The points of one line; where nothing is known it breaks off. */
function linePath(samples, name, x, y) {
  let path = '';
  let open = false;
  for (const sample of samples) {
    const known = sample[name] !== null;
    if (known)
      path += `${open ? 'L' : 'M'}${x(sample.time).toFixed(1)},${y(sample[name]).toFixed(1)}`;
    open = known;
  }
  return path;
}

function axisTexts(graph, most, width, span) {
  const {left, right, top, bottom, height} = kLive;
  const floor = height - bottom;
  const text = (attributes, words) => svg('text', {class: 'axis', ...attributes}, words);
  return [
    svg('path', {
      class: 'grid',
      d: `M${left},${top}H${width - right}M${left},${floor}H${width - right}`
    }),
    text({x: left - 6, y: top + 8, 'text-anchor': 'end'}, (graph.axis || graph.text)(most)),
    text({x: left - 6, y: floor, 'text-anchor': 'end'}, '0'),
    text({x: left, y: height - 5}, `${duration(span)} ago`),
    text({x: width - right, y: height - 5, 'text-anchor': 'end'}, 'now')
  ];
}

function drawGraph(graph) {
  const box = byId(`graph-${graph.id}`);
  const width = Math.max(260, box.clientWidth);
  const {left, right, top, bottom, height} = kLive;
  const {samples, status} = state;
  const end = samples.length > 0 ? samples[samples.length - 1].time : status.time;
  const first = samples.length > 0 ? samples[0].time : end;
  const span = Math.min(kMinutes * 60, Math.max(30, end - first));
  const x = (time) => left + (width - left - right) * (1 - (end - time) / span);
  const values = samples.flatMap((sample) => graph.lines.map(([name]) => sample[name] || 0));
  const most = roundUp(Math.max(0, ...values));
  const y = (value) => height - bottom - (height - top - bottom) * (value / most);
  const marks = status.marks.filter((mark) => mark.time >= end - span && mark.time <= end);
  const last = samples[samples.length - 1];
  const shown = graph.lines.map(([name]) => (last ? graph.text(last[name]) : '\u2013'));
  box.replaceChildren(svg(
      'svg',
      {width, height, role: 'img', 'aria-label': `${graph.title}: now ${shown.join(', ')}`},
      ...axisTexts(graph, most, width, span),
      ...marks.map(
          (mark) =>
              svg('path', {
                class: `mark ${mark.kind}`,
                d: `M${x(mark.time).toFixed(1)},${top}V${height - bottom}`
              },
                  svg('title', {}, `${timeText(mark.time)} ${mark.kind}: ${mark.text}`))),
      ...graph.lines.map(
          ([name]) => svg('path', {class: `line ${name}`, d: linePath(samples, name, x, y)}))));
  graph.lines.forEach(([name], at) => {
    byId(`now-${name}`).textContent = shown[at];
  });
}

function makeGraphs() {
  for (const graph of kGraphs) {
    const values = graph.lines.flatMap(
        ([name, words]) => [el(
            'span', {class: `value ${name}`}, el('b', {id: `now-${name}`}),
            words ? ` ${words}` : '')]);
    byId('live').append(
        el('figure', {}, el('figcaption', {}, `${graph.title} `, ...values),
           el('div', {id: `graph-${graph.id}`, class: 'graph'})));
  }
}

function drawCounts({
  transactions,
  settled,
  open,
  keys,
  rounds,
  lag_seconds,
  since_group_seconds,
  rss_bytes,
  started,
  time
}) {
  const counts = [
    ['Transactions', grouped(transactions)], ['Settled', grouped(settled)],
    ['Open', grouped(open)], ['Keys', grouped(keys)], ['Rounds', grouped(rounds)],
    ['Lag', duration(lag_seconds)], ['Since something came', duration(since_group_seconds)],
    ['Memory', bytes(rss_bytes)], ['Watching for', duration(Math.max(0, time - started))]
  ];
  byId('counts').replaceChildren(
      ...counts.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))));
}

/** Texts change only where they differ, so that screen readers tell them once. */
function setText(id, text) {
  if (byId(id).textContent !== text) byId(id).textContent = text;
}

function drawViolation({violation, violations}) {
  byId('violation').hidden = byId('nav-violation').hidden = violation === null;
  if (violation === null) return;
  const which = violations > 1 ? `The last of ${grouped(violations)}` : 'It';
  setText('violation-of', `${which} rests on ${grouped(violation.transactions)} transactions.`);
  setText('violation-text', violation.text);
}

function drawSuspicion({suspicion}) {
  byId('suspicion').hidden = suspicion === null;
  setText('suspicion', suspicion === null ? '' : `${capital(suspicion)}.`);
}

function drawMarks({marks}) {
  byId('no-marks').hidden = marks.length > 0;
  const look = (kind) => (kind === 'violation' ? 'violated' : 'unknown');
  byId('marks').replaceChildren(
      el('tbody', {},
         ...marks.slice().reverse().map(
             ({time, kind, text}) =>
                 el('tr', {}, el('td', {}, timeText(time)),
                    el('td', {}, el('span', {class: `chip ${look(kind)}`}, kind)),
                    el('td', {}, text)))));
}

function drawConnection({ended}) {
  const [look, text] = ended ? ['not-applicable', 'ended'] :
      state.lost             ? ['violated', 'no connection'] :
                               ['holds', 'live'];
  byId('connection').className = `chip ${look}`;
  setText('connection', text);
}

function draw() {
  const {status} = state;
  setText('title', status.source);
  setText('level', status.level);
  byId('verdict').className = `chip ${status.verdict}`;
  setText('verdict', verdictText.get(status.verdict));
  const soFar = status.verdict === 'holds' && !status.ended ? 'of what is settled so far' : '';
  setText('reason', status.reason ? `${capital(status.reason)}.` : soFar);
  document.title = `${status.verdict} \u2013 ${status.source} \u2013 Isolde watch`;
  drawConnection(status);
  drawCounts(status);
  drawSuspicion(status);
  drawViolation(status);
  drawMarks(status);
  kGraphs.forEach(drawGraph);
}

function take({status, samples}, all) {
  state.status = status;
  state.samples = all ? samples : [...state.samples, ...samples].slice(-kMinutes * 60);
  state.lost = false;
  draw();
}

function listen() {
  const source = new EventSource('events');
  source.addEventListener('all', (event) => take(JSON.parse(event.data), true));
  source.addEventListener('now', (event) => take(JSON.parse(event.data), false));
  source.addEventListener('error', () => {
    state.lost = true;
    drawConnection(state.status);
  });
}

startTheme();
makeGraphs();
draw();
listen();
addEventListener('resize', () => kGraphs.forEach(drawGraph));
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key !== 'd') return;
  toggleTheme();
});
