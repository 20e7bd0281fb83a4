// What the parts of the report tell each other, and writing numbers and times.

/**
 * What several parts of the page tell each other: `keep` (something else is kept or nothing),
 * `story` (another one is shown).
 */
const listeners = {};
function on(event, action) {
  (listeners[event] = listeners[event] || []).push(action);
}
function tell(event, ...values) {
  for (const action of listeners[event] || []) action(...values);
}

/** As the texts have it: "2000", "132,514". */
const count = (number) => number < 1e4 ? String(number) : number.toLocaleString('en');
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;

/** "1.250 ms": the largest unit that gives at least one, as in the text form. */
function duration(ns) {
  const units = [['s', 1e9], ['ms', 1e6], ['us', 1e3]];
  for (const [name, size] of units)
    if (Math.abs(ns) >= size) return `${(ns / size).toFixed(3)} ${name}`;
  return `${ns} ns`;
}

/** For axes: as few digits as the step between ticks needs. */
function tickDuration(step) {
  const [name, size] = step >= 1e9 ? ['s', 1e9] :
      step >= 1e6                  ? ['ms', 1e6] :
      step >= 1e3                  ? ['us', 1e3] :
                                     ['ns', 1];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return (ns) => `${(ns / size).toFixed(Math.min(digits, 6))} ${name}`;
}

/** A time of the page in UTC, "14:03:22.822000"; only where there is a calendar. */
function wallClock(ns, digits = 6) {
  const inDay = (Math.round(data.calendar.ns + ns) % 864e11 + 864e11) % 864e11;
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  const fraction = String(Math.floor(inDay % 1e9)).padStart(9, '0').slice(0, digits);
  const seconds = Math.floor(inDay / 1e9);
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}` +
      (digits > 0 ? `.${fraction}` : '');
}

/** "2026-11-20": the day in UTC of a time of the page. */
function wallDay(ns) {
  const days = Math.floor((data.calendar.ns + ns) / 864e11);
  return new Date(Date.parse(data.calendar.day) + days * 864e5).toISOString().slice(0, 10);
}

/**
 * An axis for times of the page: by the clock where that is known, with round moments, else
 * from the first start. `make` is d3.axisTop or d3.axisBottom.
 */
function timeAxis(make, scale, ticks) {
  const shift = data.calendar ? data.calendar.ns : 0;
  const [from, to] = scale.domain().map((time) => time + shift);
  const step = d3.tickStep(from, to, ticks);
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / 1e9) - 1e-9)));
  const format =
      data.calendar ? (moment) => wallClock(moment - shift, digits) : tickDuration(step);
  return make(scale.copy().domain([from, to])).ticks(ticks).tickFormat(format);
}

const kStatus = ['committed', 'aborted', 'outcome unknown'];

/** What an arrow from A to B of each kind says: those of certificates, and the page's own. */
const kKinds = {
  ...data.kinds,
  vi: ['visible', 'A was visible to B, through others'],
  '': ['disagree', 'what A and B saw is contradictory'],
};
const kindClass = (kind) => `k-${kind || 'plain'}`;

/** Names T1, T2, ... of the story's transactions. */
function namesOf(story) {
  const names = new Map();
  story.txns.forEach((member, index) => names.set(member.txn, `T${index + 1}`));
  return names;
}

data.txns.forEach((txn, place) => {
  txn.place = place;
  txn.stories = [];
});
/** Of each session, on which servers its transactions ran: a session may move. */
const serversOf = data.sessions.map(() => new Set());
for (const txn of data.txns)
  if (txn.server) serversOf[txn.session].add(txn.server);

/**
 * How much all names of servers have in common that tells nothing apart: the first word, or
 * else the folders of a socket.
 */
const sharedByServers = (() => {
  const [first = '', ...others] = new Set(serversOf.flatMap((servers) => [...servers]));
  let size = first.length - 1;
  for (const other of others)
    while (!other.startsWith(first.slice(0, size))) --size;
  const shared = first.slice(0, size);
  return (shared.includes(' ') ? shared.indexOf(' ') : shared.lastIndexOf('/')) + 1;
})();
const shortServer = (name) => name.slice(sharedByServers);

data.stories.forEach((story, index) => {
  story.index = index;
  story.names = namesOf(story);
  for (const member of story.txns) data.txns[member.txn].stories.push(index);
});

/** Whom the step shown speaks of, with the operations that matter for it: place to numbers. */
function castOf(story) {
  const chapter = story.chapters[view.chapter];
  const members = chapter && chapter.txns.length > 0 ? chapter.txns : story.txns;
  return new Map(members.map((member) => [member.txn, member.ops]));
}

/** Whether the operation is what cannot be. */
const isBad = (story, place, op) =>
    story.bad.some(([member, bad]) => story.txns[member].txn === place && bad === op);

/**
 * Several buttons of which one is pressed. Returns a function that presses one by its value.
 */
function choice(group, options, pressed, action) {
  const buttons = new Map();
  const press = (value) => {
    for (const [other, button] of buttons) button.setAttribute('aria-pressed', other === value);
  };
  group.replaceChildren();
  for (const [value, text, title] of options) {
    const button =
        el('button', {
          type: 'button',
          title: title || null,
          onclick: () => {
            press(value);
            action(value);
          }
        },
           text);
    buttons.set(value, button);
    group.append(button);
  }
  press(pressed);
  return press;
}

/** The value behind `value` in a list of options, the first one behind the last. */
function nextOption(options, value) {
  const at = options.findIndex((option) => option[0] === value);
  return options[(at + 1) % options.length][0];
}
