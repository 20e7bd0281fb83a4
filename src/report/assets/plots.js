// Statistics of the whole history in some dozen intervals, with the place of the violation.

const kPlot = {
  // In narrow windows as wide as there is room, for the letters shrink with the picture.
  width: Math.min(560, Math.max(300, byId('plots').clientWidth - 26)),
  height: 190,
  left: 52,
  right: 24,
  top: 18,
  bottom: 24
};
const kTick = 74;  // room for the text of a tick
const kEventsInTip = 6;
const kOutcomes = ['committed', 'aborted', 'indeterminate'];

const measures = data.measures;

function plotX(left = kPlot.left) {
  const end = measures.begin + measures.intervals.length * measures.length;
  return d3.scaleLinear().domain([measures.begin, end]).range([
    left, kPlot.width - kPlot.right
  ]);
}

const edgeOf = (index) => measures.begin + index * measures.length;

function intervalText(index) {
  if (!measures.timed) {
    return `transactions ${count(edgeOf(index))} to ${
        count(edgeOf(index + 1) - 1)} of the input`;
  }
  const [from, to] = [edgeOf(index), edgeOf(index + 1)];
  return data.calendar ? `${wallClock(from)} to ${wallClock(to)} UTC` :
                         `${duration(from)} to ${duration(to)}`;
}

function frame(title, label, keys, height = kPlot.height) {
  const figure = el('figure', {}, el('figcaption', {}, title));
  for (const [name, text] of keys) {
    figure.firstChild.append(
        el('span', {class: 'key'}, el('span', {class: `swatch ${name}`}), text));
  }
  byId('plots').append(figure);
  const svg = d3.select(figure)
                  .append('svg')
                  .attr('viewBox', `0 0 ${kPlot.width} ${height}`)
                  .attr('role', 'img')
                  .attr('aria-label', label);
  return svg;
}

function drawTimeAxis(svg, x, height) {
  const [left, right] = x.range();
  const most = Math.min(data.calendar ? 3 : 5, Math.floor((right - left) / kTick));
  const axis = measures.timed ? timeAxis(d3.axisBottom, x, most) :
                                d3.axisBottom(x).ticks(wholeTicks(x, most)).tickFormat(count);
  svg.append('g')
      .attr('class', 'axis')
      .attr('transform', `translate(0,${height - kPlot.bottom})`)
      .call(axis.tickSizeOuter(0));
}

/** So many ticks at most, at whole numbers, as far as numbers are counted. */
const wholeTicks = (scale, most) => Math.min(most, scale.domain()[1] - scale.domain()[0]);

/** 0.5, 12, 15k */
function plainNumber(value) {
  return value < 1000 ? String(+value.toPrecision(3)) : d3.format('~s')(value);
}

function drawValueAxis(svg, y, ticks, format) {
  svg.append('g')
      .attr('class', 'axis')
      .attr('transform', `translate(${kPlot.left},0)`)
      .call(
          y.base ?
              d3.axisLeft(y).ticks(3, format).tickSizeOuter(0) :
              d3.axisLeft(y).ticks(ticks).tickFormat(format || plainNumber).tickSizeOuter(0));
}

/** From the first start to the last end of the story's transactions. */
function markOf(story) {
  const txns = story.txns.map((member) => data.txns[member.txn]);
  if (!measures.timed)
    return [d3.min(txns, (txn) => txn.number), d3.max(txns, (txn) => txn.number + 1)];
  const timed = txns.filter(isTimed);
  return timed.length ? [d3.min(timed, (txn) => txn.start), d3.max(timed, (txn) => txn.end)] :
                        null;
}

function drawMark(svg, x, height) {
  svg.selectAll('g.violation').remove();
  const story = data.stories[view.story];
  const mark = story && markOf(story);
  if (!mark) return;
  const [from, to] = mark.map(x);
  const group = svg.append('g').attr('class', 'violation');
  const bottom = height - kPlot.bottom;
  const whole = x.range()[1] - x.range()[0];
  if (to - from > 3 && to - from < 0.95 * whole) {
    group.append('rect')
        .attr('class', 'mark-band')
        .attr('x', from)
        .attr('width', to - from)
        .attr('y', kPlot.top - 4)
        .attr('height', bottom - kPlot.top + 4);
  }
  group.append('line')
      .attr('class', 'mark')
      .attr('x1', from)
      .attr('x2', from)
      .attr('y1', kPlot.top - 4)
      .attr('y2', bottom);
  const right = from > kPlot.width * 0.75;
  group.append('text')
      .attr('class', 'mark-text')
      .attr('x', from + (right ? -4 : 4))
      .attr('y', kPlot.top - 6)
      .attr('text-anchor', right ? 'end' : 'start')
      .text('\u25bc violation');
}

/** Those that happened between two times, at least in part. */
const eventsBetween = (from, to) =>
    measures.events.filter((event) => event.at < to && eventEnd(event) >= from);

/** Faults and the like behind what is drawn: bands from their beginning to their end. */
function drawEventBands(svg, x, height) {
  const [from, to] = x.domain();
  const at = (time) => x(Math.max(from, Math.min(to, time)));
  svg.insert('g', ':first-child')
      .selectAll('rect')
      .data(eventsBetween(from, to))
      .enter()
      .append('rect')
      .attr('class', 'event-band')
      .attr('x', (event) => at(event.at))
      .attr('width', (event) => Math.max(2, at(eventEnd(event)) - at(event.at)))
      .attr('y', kPlot.top)
      .attr('height', height - kPlot.top - kPlot.bottom);
}

/** For the tip: what else happened in the interval. */
function eventTexts(index) {
  const all = eventsBetween(edgeOf(index), edgeOf(index + 1));
  const told = all.slice(0, kEventsInTip).map((event) => `${event.kind}: ${eventName(event)}`);
  return all.length > told.length ? [...told, `and ${all.length - told.length} more`] : told;
}

/** Columns under the mouse, with the numbers of the interval. */
function drawHover(svg, x, height, texts) {
  svg.append('g')
      .selectAll('rect')
      .data(measures.intervals)
      .enter()
      .append('rect')
      .attr('class', 'hover')
      .attr('x', (each, i) => x(edgeOf(i)))
      .attr('y', kPlot.top)
      .attr('width', x(edgeOf(1)) - x(edgeOf(0)))
      .attr('height', height - kPlot.top - kPlot.bottom)
      .on('mousemove',
          (each, i) => tip.show(
              d3.event,
              [
                el('h4', {}, intervalText(i)),
                ...[...texts(each, i), ...eventTexts(i)].map((text) => el('p', {}, text))
              ]))
      .on('mouseleave', tip.hide);
}

function finish(svg, x, height, texts) {
  drawEventBands(svg, x, height);
  drawTimeAxis(svg, x, height);
  drawHover(svg, x, height, texts);
  drawMark(svg, x, height);
  on('story', () => drawMark(svg, x, height));
}

function plotOutcomes() {
  const x = plotX();
  const total = (each) => each[0] + each[1] + each[2];
  const counts = data.counts;
  const per = measures.timed ? `per ${duration(measures.length)}` :
                               `per ${plural(measures.length, 'transaction')}`;
  const svg = frame(
      `Outcomes ${per}`,
      `Outcomes over time: ${counts.committed} committed, ${counts.aborted} aborted, ` +
          `${counts.indeterminate} unknown`,
      kOutcomes.map((name, i) => [name, kStatus[i]]));
  const y = d3.scaleLinear().domain([0, d3.max(measures.intervals, total) || 1]).nice().range([
    kPlot.height - kPlot.bottom, kPlot.top
  ]);
  kOutcomes.forEach((name, outcome) => {
    const below = (each) => d3.sum(each.slice(0, outcome));
    svg.append('g')
        .selectAll('rect')
        .data(measures.intervals)
        .enter()
        .append('rect')
        .attr('class', name)
        .attr('x', (each, i) => x(edgeOf(i)) + 0.5)
        .attr('width', Math.max(0.5, x(edgeOf(1)) - x(edgeOf(0)) - 1))
        .attr('y', (each) => y(below(each) + each[outcome]))
        .attr('height', (each) => y(below(each)) - y(below(each) + each[outcome]));
  });
  drawValueAxis(svg, y, wholeTicks(y, 4));
  finish(
      svg, x, kPlot.height,
      (each) => kOutcomes.map((name, i) => `${count(each[i])} ${kStatus[i]}`));
}

function plotLatency() {
  const x = plotX();
  const series =
      [['median', 'median', 3], ['p95', '95 of 100 below', 4], ['max', 'longest', 5]];
  const values = measures.intervals.filter((each) => each[3] !== null);
  const svg = frame(
      'Latency of commits', 'Latency of committed transactions over time',
      series.map(([name, text]) => [name, text]));
  const high = d3.max(values, (each) => each[5]) || 1;
  const low = Math.max(1, d3.min(values, (each) => each[3]) || 1);
  const scale =
      high / low > 30 ? d3.scaleLog().domain([low, high]) : d3.scaleLinear().domain([0, high]);
  const y = scale.nice().range([kPlot.height - kPlot.bottom, kPlot.top]);
  for (const [name, , column] of series) {
    const line = d3.line()
                     .defined((each) => each[column] !== null)
                     .x((each, i) => x(edgeOf(i + 0.5)))
                     .y((each) => y(Math.max(each[column], 1)));
    svg.append('path').attr('class', `series ${name}`).attr('d', line(measures.intervals));
    // A line needs two points; one interval alone is a dot.
    svg.append('g')
        .selectAll('circle')
        .data(measures.intervals)
        .enter()
        .filter(
            (each, i) => each[column] !== null &&
                (measures.intervals[i - 1] || [])[column] == null &&
                (measures.intervals[i + 1] || [])[column] == null)
        .append('circle')
        .attr('class', `series ${name}`)
        .attr('r', 2)
        .attr('cx', (each) => x(edgeOf(measures.intervals.indexOf(each) + 0.5)))
        .attr('cy', (each) => y(Math.max(each[column], 1)));
  }
  drawValueAxis(svg, y, 4, shortDuration);
  finish(
      svg, x, kPlot.height,
      (each) =>
          (each[3] === null ?
               ['nothing committed'] :
               series.map(([, text, column]) => `${text}: ${duration(each[column])}`)));
}

function shortDuration(ns) {
  const [name, size] = ns >= 1e9 ? ['s', 1e9] :
      ns >= 1e6                  ? ['ms', 1e6] :
      ns >= 1e3                  ? ['us', 1e3] :
                                   ['ns', 1];
  return `${+ (ns / size).toPrecision(3)} ${name}`;
}

function plotOpen() {
  const x = plotX();
  const svg = frame('Transactions at once, on average', 'Concurrency over time', []);
  const y = d3.scaleLinear()
                .domain([0, d3.max(measures.intervals, (each) => each[6]) || 1])
                .nice()
                .range([kPlot.height - kPlot.bottom, kPlot.top]);
  const at = (each, i) => x(edgeOf(i + 0.5));
  svg.append('path')
      .attr('class', 'area')
      .attr(
          'd',
          d3.area()
              .x(at)
              .y0(y(0))
              .y1((each) => y(each[6]))
              .curve(d3.curveStep)(measures.intervals));
  svg.append('path')
      .attr('class', 'series median')
      .attr(
          'd', d3.line().x(at).y((each) => y(each[6])).curve(d3.curveStep)(measures.intervals));
  drawValueAxis(svg, y, 4);
  finish(svg, x, kPlot.height, (each) => [`${each[6].toFixed(2)} at once`]);
}

function plotHeat() {
  const left = 120;
  const x = plotX(left);
  const row = 17;
  const height = kPlot.top + measures.keys.length * row + kPlot.bottom;
  const most = d3.max(measures.keys, (key) => d3.max(key.uses)) || 1;
  const svg = frame(
      `Key heat: ${measures.keys.length} of ${plural(measures.keys_total, 'key')}`,
      'How often the most used keys were used over time',
      [['heat-key', 'stronger: used more often']], height);
  const strength = d3.scaleSqrt().domain([0, most]).range([0, 1]);
  measures.keys.forEach((key, at) => {
    const y = kPlot.top + at * row;
    const name = data.keys[key.key];
    svg.append('text')
        .attr('class', `lane-name${key.marked ? ' mark-text' : ''}`)
        .attr('x', left - 6)
        .attr('y', y + 12)
        .attr('text-anchor', 'end')
        .text(clipped(name, 17))
        .append('title')
        .text(
            `${name}: ${plural(key.reads, 'read')}, ${plural(key.writes, 'write')}` +
            (key.marked ? '; part of a violation' : ''));
    svg.append('g')
        .selectAll('rect')
        .data(key.uses)
        .enter()
        .append('rect')
        .attr('class', 'heat')
        .attr('x', (uses, i) => x(edgeOf(i)) + 0.5)
        .attr('y', y + 1)
        .attr('height', row - 2)
        .attr('width', Math.max(0.5, x(edgeOf(1)) - x(edgeOf(0)) - 1))
        .attr('opacity', strength);
  });
  finish(
      svg, x, height,
      (each, i) =>
          measures.keys.filter((key) => key.uses[i] > 0)
              .map(
                  (key) =>
                      `${clipped(data.keys[key.key], 30)}: ${plural(key.uses[i], 'use')}`));
}

function startPlots() {
  if (measures.intervals.length === 0) {
    byId('measures-note').textContent = data.counts.in_parts ?
        'The history was read part by part, and this was not counted.' :
        'There are no transactions.';
    return;
  }
  const notes =
      [data.counts.in_parts ? 'Of the transactions of the violation.' :
                              'Of the whole history.'];
  if (!measures.timed)
    notes.push(
        `${data.order_only ? 'No times recorded, order of events only' : 'It has no times'}: ` +
        'the order of the input stands for them, and latency is unknown.');
  if (measures.left_out > 0)
    notes.push(`${plural(measures.left_out, 'transaction')} without times left out.`);
  if (measures.events_left_out > 0)
    notes.push(`${plural(measures.events_left_out, 'event')} left out.`);
  byId('measures-note').textContent = notes.join(' ');
  if (measures.events.length > 0) {
    byId('measures-note')
        .append(
            el('span', {class: 'key'}, el('span', {class: 'swatch event-key'}),
               'events, such as faults'));
  }
  plotOutcomes();
  if (measures.timed) plotLatency();
  if (measures.timed) plotOpen();
  plotHeat();
}
