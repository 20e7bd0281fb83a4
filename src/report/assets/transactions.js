// The table of transactions, with search and filters.

const kRowsAtOnce = 50;
const kChosen =
    'those of the violations, their neighbours in their sessions, the nearest ones ' +
    'on the same keys, and the nearest ones in time.';
/** None where no transaction has a time. */
const kTimeColumns = data.txns.some((txn) => txn.start !== null) ?
    [data.calendar ? 'Start (UTC)' : 'Start', 'Duration'] :
    [];
const table = {
  order: [],
  rows: [],
  shown: kRowsAtOnce
};

/** What stands behind the key: "1" in "r(x)=1", "5" in "append(x, 5)". */
function valueOf(text) {
  const at = text.indexOf(')=');
  if (at >= 0) return text.slice(at + 2).replace(/\] \(\d+ elements\)$/, ']');
  const comma = text.indexOf(', ');
  return comma >= 0 ? text.slice(comma + 2).replace(/\)$/, '') : '';
}

const opsWhere = (txn, test) => txn.ops.some(test);

/**
 * One word of the search as a test of a transaction. "key:x" is exactly that key, "value:5"
 * exactly that value (or an element of the list); other words may occur anywhere.
 */
function wordTest(word) {
  const [, field, wanted] = word.match(/^(key|value|session|id):(.+)$/) || [];
  if (field === 'key') return (txn) => opsWhere(txn, (op) => data.keys[op[1]] === wanted);
  if (field === 'value') {
    return (txn) => opsWhere(txn, (op) => {
             const value = valueOf(op[2]);
             return value === wanted || value.replace(/[[\]]/g, '').split(' ').includes(wanted);
           });
  }
  if (field === 'session') return (txn) => data.sessions[txn.session] === wanted;
  if (field === 'id') return (txn) => txn.id === wanted || txnNames(txn).includes(wanted);
  const lower = word.toLowerCase();
  return (txn) => txn.words.includes(lower);
}

/** T1, T2, ... in the story shown. */
function txnNames(txn) {
  const story = data.stories[view.story];
  const name = story && story.names.get(txn.place);
  return name ? [name] : [];
}

function filtered() {
  const tests = byId('search').value.trim().split(/\s+/).filter(Boolean).map(wordTest);
  const status = byId('status').value;
  const session = byId('session').value;
  const cast = byId('only-story').checked;
  return table.order.filter(
      (txn) => (status === '' || txn.status === Number(status)) &&
          (session === '' || txn.session === Number(session)) &&
          (!cast || txn.stories.length > 0) && tests.every((test) => test(txn)));
}

/** The text with what the search names marked. */
function marked(text) {
  const words = byId('search').value.trim().split(/\s+/).filter(Boolean).map(
      (word) => word.replace(/^(key|value|session|id):/, '').toLowerCase());
  const lower = text.toLowerCase();
  const at = words.map((word) => [lower.indexOf(word), word.length])
                 .filter(([found]) => found >= 0)[0];
  if (!at) return [text];
  const [from, length] = at;
  return [
    text.slice(0, from), el('mark', {}, text.slice(from, from + length)),
    text.slice(from + length)
  ];
}

function row(txn) {
  const names = txnNames(txn);
  const ops =
      txn.ops.slice(0, 12).flatMap((op) => [el('span', {class: 'op'}, ...marked(op[2])), ' ']);
  const more = txn.ops.length - 12 + (txn.hidden || 0);
  const name =
      el('button', {
        type: 'button',
        class: 'open-txn',
        'aria-expanded': 'false',
        onclick: () => openRow(txn, name)
      },
         names.length ? `${names[0]} = ${txn.id}` : txn.id);
  const text = txn.start === null ? '' :
      data.calendar               ? wallClock(txn.start) :
                                    duration(txn.start);
  const stay = isTimed(txn) ? duration(txn.end - txn.start) : '';
  const classes =
      [txn.stories.includes(view.story) ? 'cast' : '', txn.place === kept.txn ? 'on' : ''];
  return el(
      'tr', {class: classes.join(' ').trim() || null}, el('td', {}, name),
      el('td', {}, kStatus[txn.status]),
      ...kTimeColumns.map((_, at) => el('td', {class: 'time'}, [text, stay][at])),
      el('td', {class: 'mono'}, ...ops, more > 0 ? `and ${more} more` : ''));
}

/** Opens or closes what is known of the transaction below its row. */
function openRow(txn, button) {
  const line = button.closest('tr');
  const open = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', !open);
  if (open) return line.nextSibling.remove();
  const parts = describeTxn(txn, data.stories[view.story], 200);
  if (data.stories.length > 0) {
    parts.push(el(
        'button', {type: 'button', onclick: () => showInPicture(txn)}, 'Show in the picture'));
  }
  line.after(
      el('tr', {class: 'opened'}, el('td', {colspan: 3 + kTimeColumns.length}, ...parts)));
}

function showInPicture(txn) {
  if (view.mode !== 'lanes') setView('mode', 'lanes');
  if (!lanes.scene.at.has(txn.place)) setView('scope', 'all');
  const box = lanes.scene.at.get(txn.place);
  byId('toolbar').scrollIntoView();
  if (box) focusBox(box, true);
  keep(txn.place, null);
}

function drawRows() {
  const head = (name, kind = null) => el('th', {scope: 'col', class: kind}, name);
  byId('table').replaceChildren(
      el('thead', {},
         el('tr', {}, head('Transaction'), head('Status'),
            ...kTimeColumns.map((name) => head(name, 'time')), head('Operations'))),
      el('tbody', {}, ...table.rows.slice(0, table.shown).map(row)));
  byId('more').hidden = table.rows.length <= table.shown;
  byId('more').textContent =
      `Show ${count(Math.min(kRowsAtOnce, table.rows.length - table.shown))} more`;
  const all = table.rows.length === data.txns.length;
  byId('found').textContent = all ?
      `${plural(data.txns.length, 'transaction')}` :
      `${count(table.rows.length)} of ${plural(data.txns.length, 'transaction')}`;
}

function search() {
  table.rows = filtered();
  table.shown = kRowsAtOnce;
  drawRows();
  const found = new Set(byId('search').value.trim() ? table.rows.map((txn) => txn.place) : []);
  if (!lanes.scene) return;
  for (const box of lanes.scene.boxes)
    box.node.classList.toggle('found', found.has(box.txn.place));
}

/** What the page does not have of so many transactions. */
function leftOut(total) {
  const here = data.txns.length;
  const all = `The history has ${plural(total, 'transaction')}, `;
  if (data.counts.in_parts) {
    return `${all}which were read part by part. ` +
        (here === 0 ? 'None of them is here.' :
                      `Here are ${count(here)}: those of the violation.`);
  }
  if (here === total) return '';
  return `${all}too many for one page. Here are ${count(here)}: ` +
      (data.stories.length > 0 ? kChosen : 'the first ones.');
}

function startTransactions() {
  for (const txn of data.txns) {
    txn.words = [
      txn.id, data.sessions[txn.session], txn.server || '', ...txn.ops.map((op) => op[2])
    ].join(' ').toLowerCase();
  }
  // By start; a transaction without one stays behind the one before it in the input.
  let last = -1;
  for (const txn of data.txns) txn.sorted = last = txn.start === null ? last : txn.start;
  table.order = data.txns.slice().sort((a, b) => a.sorted - b.sorted || a.number - b.number);
  const total = data.counts.transactions;
  byId('left-out').textContent = leftOut(total);
  const options = (select, values) => {
    for (const [value, text] of values) select.append(el('option', {value}, text));
  };
  const statuses = kStatus.map((text, at) => [at, text])
                       .filter(([at]) => data.txns.some((txn) => txn.status === at));
  options(byId('status'), [['', 'any'], ...statuses]);
  const sessions = data.sessions.map((name, at) => [at, name])
                       .sort((a, b) => a[1].localeCompare(b[1], 'en', {numeric: true}));
  options(byId('session'), [['', 'any'], ...sessions]);
  byId('only-story').closest('label').hidden = data.stories.length === 0;
  for (const id of ['search', 'status', 'session', 'only-story']) {
    byId(id).addEventListener('input', search);
  }
  byId('more').addEventListener('click', () => {
    table.shown += kRowsAtOnce;
    drawRows();
  });
  on('story', search);
  search();
}
