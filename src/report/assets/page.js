// What the pages have in common: their data, making elements, verdicts, light and dark. All
// files of a page are joined to one program, in the order that embed.py is given.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

const byId = (id) => document.getElementById(id);

/** el("button", {type: "button", onclick: f}, "text", child): an HTML element. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (value === true)
      element.setAttribute(name, '');
    else if (value !== false && value !== null)
      element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const kVerdicts = [
  ['violated', '\u2717 violated'], ['holds', '\u2713 holds'], ['unknown', '? unknown'],
  ['not-applicable', '\u2013 n/a']
];
const verdictText = new Map(kVerdicts);

function facts(lines) {
  return el('ul', {class: 'facts'}, ...lines.map((line) => el('li', {}, line)));
}

/** The verdict in short, as the text form begins: what each part is, its lead, its text. */
function summaryParts({loaded, summary}) {
  const sentence = (text) => (text ? `${text}.` : '');
  return [
    ['verdict', '', `${loaded ? '' : 'The history was not loaded. '}${summary.verdict}`],
    ['totals', '', [summary.totals, summary.lost].filter(Boolean).join(' ')],
    ['meaning', 'That means: ', sentence(summary.meaning)],
    ['remedy', 'What helps: ', sentence(summary.remedy)],
    ['one-change', 'The one change that helps most: ', sentence(summary.one_change)],
    ...(summary.advice || []).map(([lead, text]) => ['advice', `${lead}: `, sentence(text)]),
    ['promise', '', summary.promise || '']
  ].filter((part) => part[2] !== '');
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}
const toggleTheme = () =>
    setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');

function startTheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  setTheme(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', () => setTheme(dark.matches ? 'dark' : 'light'));
  byId('theme').addEventListener('click', toggleTheme);
  // Browsers print no backgrounds.
  let shown = null;
  addEventListener('beforeprint', () => {
    shown = document.documentElement.dataset.theme;
    setTheme('light');
  });
  addEventListener('afterprint', () => setTheme(shown));
}
