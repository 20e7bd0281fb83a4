// What is known of one transaction or one arrow: in a tip under the mouse, and beside the
// picture for what was clicked.

function timesText(txn) {
  if (txn.start === null || txn.end === null) return '';
  const stay = duration(txn.end - txn.start);
  if (data.calendar) {
    return `${wallDay(txn.start)} ${wallClock(txn.start)} to ${wallClock(txn.end)} UTC (${
        stay})`;
  }
  return `from ${duration(txn.start)} to ${duration(txn.end)} (${stay})`;
}

function txnFacts(txn) {
  const facts = [kStatus[txn.status], `session ${data.sessions[txn.session]}`];
  if (txn.where) facts.push(txn.where);
  if (txn.level) facts.push(`ran at ${txn.level}`);
  if (txn.server) facts.push(`on ${txn.server}`);
  return facts.join(', ');
}

/** Operations, those that matter to the story marked; `most` of them at most. */
function opsList(txn, story, most) {
  const member = story && story.txns.find((each) => each.txn === txn.place);
  const matters = new Set(member ? member.ops : []);
  const list = el('ul', {class: 'ops'});
  let shown = txn.ops;
  if (shown.length > most) {
    shown = txn.ops.filter((op) => matters.has(op[0]));
    for (const op of txn.ops)
      if (shown.length < most && !shown.includes(op)) shown.push(op);
    shown.sort((a, b) => a[0] - b[0]);
  }
  const told = member && member.told || {};
  for (const [index, , text] of shown) {
    const bad = member && isBad(story, txn.place, index);
    const kind = bad ? 'bad' : matters.has(index) ? 'matters' : null;
    if (told[index] !== '')
      list.append(el('li', {class: kind}, told[index] ?? text));
    else if (bad && list.lastChild)
      list.lastChild.className = kind;
  }
  const hidden = txn.ops.length - shown.length + (txn.hidden || 0);
  if (hidden > 0) list.append(el('li', {}, `and ${plural(hidden, 'more operation')}`));
  if (shown.length === 0 && hidden === 0) list.append(el('li', {}, 'no operations'));
  return list;
}

function txnTitle(txn, story) {
  const name = story && story.names.get(txn.place);
  return name ? `${name} = ${txn.id}` : txn.id;
}

function describeTxn(txn, story, most) {
  const parts = [el('h4', {}, txnTitle(txn, story)), el('p', {}, txnFacts(txn))];
  if (timesText(txn)) parts.push(el('p', {}, timesText(txn)));
  parts.push(opsList(txn, story, most));
  return parts;
}

function arrowTitle(story, arrow) {
  return `${story.names.get(arrow.from) || data.txns[arrow.from].id} \u2192 ` +
      `${story.names.get(arrow.to) || data.txns[arrow.to].id}`;
}

function describeArrow(story, arrow) {
  const [name, meaning] = kKinds[arrow.kind];
  const kind = arrow.kind ? `${arrow.kind}, ${name}` : name;
  const key = arrow.key === null ? '' : ` on key ${data.keys[arrow.key]}`;
  const [a, b] = arrowTitle(story, arrow).split(' \u2192 ');
  const words = meaning.replace(/\b[AB]\b/g, (letter) => (letter === 'A' ? a : b));
  return [
    el('h4', {}, `${arrowTitle(story, arrow)} (${kind}${key})`), el('p', {}, `${words}.`),
    el('p', {}, `${capital(arrow.because)}.`)
  ];
}

const tip = {
  show(event, parts) {
    const box = byId('tip');
    box.replaceChildren(...parts);
    box.hidden = false;
    const size = box.getBoundingClientRect();
    const from = event.target.getBoundingClientRect();
    const x = event.clientX === undefined ? from.right : event.clientX + 14;
    const y = event.clientY === undefined ? from.bottom : event.clientY + 14;
    const left = Math.max(4, Math.min(x, innerWidth - size.width - 4));
    const fits = y + size.height < innerHeight - 4;
    const above = (event.clientY === undefined ? from.top : event.clientY) - size.height - 10;
    box.style.left = `${left}px`;
    box.style.top = `${fits ? y : Math.max(4, above)}px`;
  },
  hide() {
    byId('tip').hidden = true;
  },
};

/** What was clicked stays here until something else is, or Esc. */
const kept = {
  txn: null,
  arrow: null
};

function keep(txn, arrow) {
  kept.txn = txn;
  kept.arrow = arrow;
  const story = data.stories[view.story] || null;
  const box = byId('details');
  if (txn !== null)
    box.replaceChildren(...describeTxn(data.txns[txn], story, 200));
  else if (arrow !== null)
    box.replaceChildren(...describeArrow(story, story.arrows[arrow]));
  else
    box.replaceChildren(
        el('p', {class: 'caption'},
           'Click a transaction, an arrow or a line of the argument, or press Enter on a ' +
               'transaction or a line, to see all about it here.'));
  tell('keep');
}
