#!/usr/bin/env python3
"""The HTML report, and the page about two histories, as a browser shows them.

    report_test.py ISOLDE [SCREENSHOTS]

Makes reports of small, hostile and large histories, opens them as files in headless Chromium, and
uses them by mouse and keyboard. Exit code 77: there is no browser.
ISOLDE_FULL=1 looks at histories of one anomaly each at a middle width, too, and leaves pictures of the
pages, which no test looks at, in the folder SCREENSHOTS.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import webdriver

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DATA = os.path.join(ROOT, 'test', 'cli', 'data')
DEMOS = sorted(glob.glob(os.path.join(ROOT, 'demo', '**', '*.jsonl'), recursive=True))
DEMO = os.path.join(ROOT, 'demo', 'mariadb-repeatable-read-lost-update.jsonl')
ISOLDE = None
SCREENSHOTS = None
FULL = os.environ.get('ISOLDE_FULL') == '1'

# Rectangles of the labels of arrows that cover each other by more than a hair.
COVERED = '''
  const boxes = [...document.querySelectorAll('.picture .arrow-label')]
    .map((label) => [label.textContent, label.getBoundingClientRect()]);
  const found = [];
  boxes.forEach(([a, x], i) => boxes.slice(i + 1).forEach(([b, y]) => {
    const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
    const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
    if (wide > 4 && high > 6) found.push(`${a} / ${b}`);
  }));
  return found;
'''

# Labels of arrows, names beside their boxes, labels of events and texts of the axis: those of them
# that meet another box, or each other, by more than a pixel in both directions, in the part of the
# picture that is seen.
MEETING = '''
  const frame = byId(view.mode).getBoundingClientRect();
  const side = view.mode === 'lanes' && lanes.scene ? lanes.gutter : 0;
  const seen = (selector) => [...document.querySelectorAll(selector)].map((part) => {
    const {left, right, top, bottom, width} = part.getBoundingClientRect();
    return {part, top, bottom, width, left: Math.max(left, frame.left + side),
            right: Math.min(right, frame.right)};
  }).filter(({left, right, width}) => width > 0 && left < right);
  const meet = (a, b) => a.part.parentNode !== b.part.parentNode &&
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const boxes = seen('#lanes .txn > rect, #list .card');
  const labels = seen('.picture .arrow-label rect, #lanes .title.outside, #lanes .event text, ' +
    '#lanes .axis text');
  return labels.flatMap((label, at) => [...boxes, ...labels.slice(at + 1)]
    .filter((other) => meet(label, other))
    .map((other) => `${label.part.closest('g').textContent} / ${other.part.parentNode.textContent}`));
'''

# Labels of arrows that the side of the picture cuts off.
CUT_OFF = '''
  return [...document.querySelectorAll('.picture .arrow-label')].filter((label) => {
    const own = label.getBoundingClientRect();
    const frame = label.closest('.picture').getBoundingClientRect();
    const middle = (own.left + own.right) / 2;
    return middle > frame.left && middle < frame.right &&
      (own.left < frame.left || own.right > frame.right);
  }).map((label) => label.textContent);
'''

# Operations of the step shown that cannot be read: not there, empty, or not within their box and
# the picture.
UNREADABLE = '''
  const story = data.stories[view.story];
  const picture = byId(view.mode);
  const frame = picture.getBoundingClientRect();
  const found = [];
  for (const [place, ops] of castOf(story)) {
    const box = picture.querySelector(`[data-txn="${place}"]`);
    const border = (box.querySelector('rect') || box).getBoundingClientRect();
    if (border.left < frame.left || border.right > frame.left + picture.scrollWidth)
      found.push(`box of ${place}`);
    const {told, brief} = story.txns.find((member) => member.txn === place);
    const lines = [...box.querySelectorAll('text:not(.title), .op')];
    for (const op of ops) {
      if (told[op] === '') continue;  // a row of a selection that is told
      const text = (view.length === 'brief' && brief[op]) || told[op] || data.txns[place].ops.find((each) => each[0] === op)[2];
      const line = lines.find(
        (each) => each.textContent.replace(/ [(]\\d+\u00d7[)]$/, '') === text);
      if (!line && ops.length > 11) continue;
      const own = line ? line.getBoundingClientRect() : null;
      if (!own || own.width < 10 || own.left < border.left - 1 || own.right > border.right + 1 ||
          own.top < border.top - 1 || own.bottom > border.bottom + 1)
        found.push(text);
    }
  }
  return found;
'''

# Texts of boxes of lanes that are drawn over their sides.
SPILLED = '''
  return [...document.querySelectorAll('#lanes .txn text:not(.outside)')].filter((text) => {
    const own = text.getBoundingClientRect();
    const box = text.parentNode.querySelector('rect').getBoundingClientRect();
    return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1 ||
      own.top < box.top - 1 || own.bottom > box.bottom + 1);
  }).map((text) => text.textContent);
'''

# Transactions of the step shown that do not even say that they did something.
SILENT = '''
  return [...document.querySelectorAll('#lanes .txn.cast:not(.idle)')].filter((txn) =>
    txn.style.display !== 'none' && data.txns[txn.dataset.txn].ops.length > 0 &&
    castOf(data.stories[view.story]).get(Number(txn.dataset.txn)).length > 0 &&
    ![...txn.querySelectorAll('text:not(.title):not(.when)')].some((text) =>
      text.getBoundingClientRect().width > 0)).map((txn) => txn.getAttribute('aria-label'));
'''

# Times of the axis that the side of the picture cuts off or that run into the names of sessions.
TICKS_ASTRAY = '''
  const frame = byId('lanes').getBoundingClientRect();
  return [...document.querySelectorAll('#lanes .axis .tick text')].filter((tick) => {
    const own = tick.getBoundingClientRect();
    return own.left < frame.left + lanes.gutter || own.right > frame.right;
  }).map((tick) => tick.textContent);
'''

# Transactions of the step shown without their name in or above the box.
NAMELESS = '''
  return [...document.querySelectorAll('#lanes .txn.cast:not(.idle)')].filter((txn) => {
    const title = txn.querySelector('.title');
    return txn.style.display !== 'none' &&
      (title.style.display === 'none' || !/^T[0-9]+/.test(title.textContent));
  }).map((txn) => txn.getAttribute('aria-label'));
'''

# Labels without a background of their own, and those that an arrow is drawn over.
SEE_THROUGH = '''
  const opaque = (label) => {
    const fill = getComputedStyle(label.querySelector('rect')).fill;
    return fill !== 'none' && !fill.startsWith('rgba');
  };
  return [...document.querySelectorAll('.picture .arrow-label')].filter((label) =>
    !opaque(label) || [...label.closest('.picture').querySelectorAll('.arrow')].some((arrow) =>
      label.compareDocumentPosition(arrow) & Node.DOCUMENT_POSITION_FOLLOWING))
    .map((label) => label.textContent);
'''

# Boxes of the story and arrows that do not lie within the window whole.
OUTSIDE = '''
  return [...document.querySelectorAll('#lanes .txn.cast rect, #lanes path.arrow')].filter((part) => {
    const own = part.getBoundingClientRect();
    return own.left < 0 || own.right > innerWidth || own.top < 0 || own.bottom > innerHeight;
  }).map((part) => part.outerHTML);
'''

# Where the first box of the story ends.
FIRST_BOX = '''
  return Math.min(...boxesInPicture().map(({bottom}) => bottom + scrollY));
'''

# Heads of arrows of lanes that a label covers.
HEADS_COVERED = '''
  const labels = [...document.querySelectorAll('#lanes .arrow-label rect')]
    .map((label) => label.getBoundingClientRect());
  const origin = document.querySelector('#lanes svg').getBoundingClientRect();
  return [...document.querySelectorAll('#lanes path.arrow')].filter((arrow) => {
    const head = arrow.getPointAtLength(arrow.getTotalLength() - 4);
    const [x, y] = [head.x + origin.left, head.y + origin.top];
    return labels.some((own) => x > own.left && x < own.right && y > own.top && y < own.bottom);
  }).map((arrow) => arrow.dataset.arrow);
'''

# A long fork that two clients saw, as Redis had it: all that the page says of one is there.
LONG_FORK = (
    {'isolde': 1, 'kind': 'history', 'database': 'Redis 7.0.15', 'isolation': 'multi',
     'product': 'redis', 'promise': 'read-committed',
     'clock': {'origin': '2026-11-26T21:27:41.357353210Z'}},
    {'session': '20', 'start': 4657315, 'end': 4995548, 'ops': [['w', 'fork/5/1', 21]]},
    {'session': '2', 'start': 5065667, 'end': 5927348,
     'ops': [['r', 'fork/5/0', None], ['r', 'fork/5/1', 21]]},
    {'session': '9', 'start': 5801146, 'end': 6098858, 'ops': [['w', 'fork/5/0', 178]]},
    {'session': '6', 'start': 5836934, 'end': 6591516,
     'ops': [['r', 'fork/5/2', None], ['r', 'fork/5/0', 178], ['r', 'fork/5/1', 77]]},
    {'session': '4', 'start': 6322015, 'end': 6664274, 'ops': [['w', 'fork/5/1', 77]]},
    {'session': '21', 'start': 5947183, 'end': 6836936,
     'ops': [['r', 'fork/5/1', 21], ['r', 'fork/5/2', 38]]},
    {'session': '13', 'start': 6616002, 'end': 6891702, 'ops': [['w', 'fork/5/2', 38]]})

# What the page says about its graph that is not so.
GRAPH_UNTRUE = '''
  const caption = byId('caption').textContent;
  const legend = byId('legend').textContent;
  const edges = [...document.querySelectorAll('#graph .edge:not(.more)')];
  const labels = edges.map((edge) => edge.querySelector('text').textContent.trim());
  const red = document.querySelectorAll('#graph .bad').length > 0;
  const faint = document.querySelectorAll('#graph .other').length > 0;
  const kinds = new Set(edges.map((edge) => data.stories[view.story].arrows[edge.dataset.arrow].kind));
  return Object.entries({
    red: /in red|the red one/.test(caption) === red,
    steps: caption.includes('number before a kind') === labels.some((each) => /^\\d+: /.test(each)),
    standsOut: caption.includes('stand out') || !faint,
    numbered: !caption.includes('numbered'),
    thin: caption.includes('Thin arrows') === (document.querySelectorAll('#graph .evidence').length > 0) ||
      caption.includes('number before a kind'),
    open: !caption.includes('open to the right'),
    follows: caption.includes('Grey lines') === (document.querySelectorAll('#graph .next').length > 0),
    itself: !caption.includes('contradicts itself') ||
      /[(](internal|future-read)[)]/.test(data.stories[view.story].label),
    drag: !byId('story').textContent.includes('Drag to move'),
    arrow: caption.includes('rrow') ? edges.length > 0 : true,
    legend: [...kinds].every((kind) => legend.includes(`${kind || 'arrow'}: `)) &&
      byId('legend').childElementCount === kinds.size,
  }).filter(([what, is_so]) => !is_so).map(([what]) => `${what}: ${caption} ${labels}`);
'''

# Operations and times of the table, and names of levels, that are broken though a line has room;
# ticks of plots that touch.
BROKEN = '''
  const lines = (each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.top))).size;
  };
  const texts = [...document.querySelectorAll('#table .op, #table td.time, #matrix tbody th')]
    .filter((each) => lines(each) > 1 && each.textContent.length < 36);
  const touching = [...document.querySelectorAll('#plots .axis')].flatMap((axis) => {
    const ticks = [...axis.querySelectorAll('.tick text')].map((tick) => tick.getBoundingClientRect());
    return ticks.filter((a, at) => ticks.slice(at + 1).some((b) =>
      a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom));
  });
  return [...texts.map((each) => each.textContent), ...touching.map((each) => `tick at ${each.left}`)];
'''

# Labels of the list that touch or nearly do.
CLOSE = '''
  const boxes = [...document.querySelectorAll('#list .arrow-label rect')]
    .map((label) => label.getBoundingClientRect());
  return boxes.filter((a, at) => boxes.slice(at + 1).some((b) =>
    a.left < b.right && b.left < a.right && a.top < b.bottom + 5 && b.top < a.bottom + 5)).length;
'''

# Arrows that the page believes elsewhere than the browser, which measures what it has drawn.
ASTRAY = '''
  return [...document.querySelectorAll('#lanes path.arrow')].filter((path) => {
    const {points, middles, head} = d3.select(path).datum().trace;
    const length = path.getTotalLength();
    const along = [...points.keys()].map((at) => 5 * at);
    along.push(...kShares.map((share) => share * length), Math.max(0, length - 6));
    return Math.abs(5 * points.length - length) > 6 || [...points, ...middles, head].some(
      ({x, y}, at) => {
        const there = path.getPointAtLength(along[at]);
        return Math.hypot(there.x - x, there.y - y) > 0.5;
      });
  }).map((path) => path.getAttribute('d'));
'''

# Kinds of transactions in the legend that are not in the picture, or the other way round.
LEGEND = '''
  const legend = document.querySelector('#legend').textContent;
  return [['s1', 'transaction, aborted'], ['s2', 'transaction, outcome unknown']].filter(
    ([kind, text]) => legend.includes(text) !==
      document.querySelectorAll('#lanes .txn.' + kind).length > 0);
'''


ALWAYS = {'meeting': MEETING, 'see-through': SEE_THROUGH,
          'cut off': CUT_OFF}
IN_LANES = {'nameless': NAMELESS, 'spilled': SPILLED, 'silent': SILENT, 'legend': LEGEND, 'ticks astray': TICKS_ASTRAY}


def all_of(checks):
    """One script for all of these: by name what each found, where it found anything."""
    each = ', '.join(f'{json.dumps(name)}: () => {{{body}}}' for name, body in checks.items())
    return (f'return Object.fromEntries(Object.entries({{{each}}})'
            '.map(([name, check]) => [name, check()]).filter(([, found]) => found.length > 0));')


PICTURE = f"""
  const always = (() => {{{all_of(ALWAYS)}}})();
  if (document.querySelector('#lanes').getClientRects().length === 0) return always;
  return {{...always, ...(() => {{{all_of(IN_LANES)}}})()}};
"""


# Every step of a story in the views and scopes asked for, in one request, as between many small ones
# the browser would paint: how many pictures there were, and what is wrong there, with the place.
WALK = f"""
  const {{story, scopes, texts, graph}} = arguments[0];
  const picture = () => {{{PICTURE}}};
  const unreadable = () => {{{UNREADABLE}}};
  const untrue = () => {{{GRAPH_UNTRUE}}};
  const found = [];
  let seen = 0;
  const look = (wrong, ...place) => {{
    ++seen;
    if (Object.keys(wrong).length > 0) found.push([place, wrong]);
  }};
  showStory(story);
  for (let step = 0; step < (data.stories[story].chapters.length || 1); ++step) {{
    view.chosen = false;
    view.scope = 'near';
    view.chapter = step;
    if (texts) {{
      drawStory();
      look(picture(), step);
      look(unreadable(), step);
    }}
    for (const [scope, axis] of scopes) {{
      view.mode = 'lanes';
      view.axis = axis;
      setView('scope', scope);  // draws it, once
      look(picture(), step, scope, axis);
    }}
    if (!graph) continue;
    setView('mode', 'graph');
    look(untrue(), step, 'graph');
  }}
  return [seen, found];
"""


def page_of(folder, history, *options):
    """The path of a report about the history, and the data in it."""
    path = os.path.join(folder, os.path.basename(history) + '.html')
    done = subprocess.run([ISOLDE, 'check', '--no-progress', '--html', path, *options, history],
                          capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 2):
        raise AssertionError(done.stderr)
    with open(path, encoding='utf-8') as file:
        html = file.read()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.S)
    return path, json.loads(found.group(1)), done.stdout


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.browser = webdriver.Browser(cls.folder)
        cls.browser.__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.temporary.cleanup()

    def setUp(self):
        self.browser.resize(1280, 900)
        self.browser.prefer('light')

    def open(self, history, *options):
        path, data, text = page_of(self.folder, history, *options)
        browser = self.browser
        browser.leave()
        browser.open(path)
        return path, data, text

    def close(self, path):
        """Nothing was complained about, nothing was asked for but the page."""
        self.assertEqual(self.browser.console(), [])
        self.assertEqual(self.browser.requests(), ['file://' + path])

    def shot(self, name):
        if SCREENSHOTS:
            self.browser.screenshot(os.path.join(SCREENSHOTS, name + '.png'), whole=True)

    def count(self, css):
        return self.browser.js('return document.querySelectorAll(arguments[0]).length', css)

    def text(self, css):
        return self.browser.js('return document.querySelector(arguments[0]).textContent', css)

    def shown(self, css):
        return self.browser.js(
            'return document.querySelector(arguments[0]).getClientRects().length > 0', css)

    def check_picture(self, *context):
        """All that may be wrong, in one request: requests take longer than what they ask for."""
        self.assertEqual(self.browser.js(PICTURE), {}, context)

    def walk(self, data, width, scopes, texts=False, graph=False):
        """All steps of all stories: with lanes in these scopes, as they are shown first with texts that
        can be read, and what the graph says."""
        for story, told in enumerate(data['stories']):
            seen, found = self.browser.js(
                WALK, {'story': story, 'scopes': scopes, 'texts': texts, 'graph': graph})
            self.assertEqual(found, [], (width, story))
            steps = len(told['chapters']) or 1
            self.assertEqual(seen, steps * (2 * texts + len(scopes) + graph))

    # Goal: every kind of violation there is a history of gives a page without errors, in which
    # all operations of the argument can be read, no label covers another one or a box, and nothing
    # is wider than the window, wide or narrow.
    def test_all_histories(self):
        histories = sorted(glob.glob(os.path.join(DATA, '*.jsonl')))
        for history in histories + [each for each in DEMOS if 'proof' not in each]:
            name = os.path.basename(history)
            if name in ('bad-json.jsonl',):
                continue
            with self.subTest(name):
                path, data, _ = self.open(history)
                for width in (1280, 800, 400) if FULL or history in DEMOS else (1280, 400):
                    self.browser.resize(width, 900)
                    self.browser.frame()
                    # The graph is the same at any width.
                    lanes = [(scope, 'order') for scope in ('story', 'near', 'all')]
                    self.walk(data, width, lanes if width != 800 else [], texts=True,
                              graph=width == 1280)
                    self.assertLessEqual(
                        self.browser.js('return document.documentElement.scrollWidth'), width)
                    self.assertEqual(self.browser.js(BROKEN), [], width)
                self.browser.resize(1280, 900)
                self.assertEqual(self.shown('#story'), bool(data['stories']))
                for arrow in (arrow for story in data['stories'] for arrow in story['arrows']):
                    self.assertNotEqual(arrow['from'], arrow['to'])
                tabs = self.browser.js("return [...document.querySelectorAll('#story-tabs button')]"
                                       ".map((tab) => tab.textContent)")
                self.assertEqual(len(set(tabs)), len(tabs), tabs)
                self.close(path)

    # Goal: the page begins with the verdict in short, as the text does.
    def test_summary(self):
        path, data, text = self.open(DEMO)
        told = self.browser.js("return [...document.querySelectorAll('#summary p')]"
                               ".filter((p) => !p.hidden).map((p) => p.textContent)")
        self.assertEqual(told[0], 'Recorded from MariaDB 10.11.19 REPEATABLE READ.')
        self.assertEqual(told[1], data['summary']['verdict'])
        self.assertRegex(told[1], '^Lost updates occur[.] .*not seen in 48 transactions[.]$')
        self.assertRegex(told[2], '^At least 5 updates were lost')
        self.assertRegex(told[3], '^That means: two clients that read a balance')
        self.assertRegex(told[4], '^What helps: read with SELECT [.]{3} FOR UPDATE')
        self.assertEqual(len(told), 5)
        # Levels that everybody knows lead.
        self.assertRegex(self.text('#story-levels'),
                         '^Rules out snapshot-isolation, (repeatable-read, )?serializable and '
                         '[0-9]+ other levels; the weakest (is|are) parallel-snapshot-isolation')
        told.append(self.text('#advice p'))
        self.assertRegex(told[5], '^What locks bring: .*error 1213')
        words = ' '.join(text.split())
        for line in ['In short: ' + told[1], *told[2:]]:
            self.assertIn(line, words)
        self.assertEqual(
            self.browser.js("return getComputedStyle(document.querySelector('#verdict')).fontWeight"),
            '650')
        self.close(path)

    # Goal: in a window of usual size the scenario is there without scrolling; numbers about the
    # history come after it.
    def test_scenario_first(self):
        self.browser.resize(1280, 800)
        skews = [os.path.join(DATA, name) for name in
                 ('lost-update.jsonl', 'write-skew.jsonl', 'write-skew-in-time.jsonl')]
        for history in [each for each in DEMOS if 'proof' not in each] + skews:
            with self.subTest(os.path.basename(history)):
                path, data, _ = self.open(history)
                self.assertEqual(self.browser.js(OUTSIDE), [])
                self.assertEqual(self.count('#lanes .txn.cast') > 1, bool(data['stories']))
                sections = self.browser.js("return [...document.querySelectorAll('main > section')]"
                                           ".map((section) => section.id)")
                self.assertEqual(sections, ['summary', 'story', 'levels', 'history', 'measures',
                                            'transactions'])
                self.close(path)

    # Goal: this is so of taller stories, too, of many transactions or of rows that take many lines:
    # lanes are denser, with letters as large as ever, and what the summary says beyond the verdict
    # comes after them, in its order, where it has to. A narrow window shows at least the first one.
    def test_tall_stories(self):
        fork = self.written('fork.jsonl', LONG_FORK)
        rows = os.path.join(self.folder, 'rows.jsonl')
        subprocess.run([ISOLDE, 'gen', '--workload', 'tpcc-tables', '--isolation', 'read-committed',
                        '--txns', '300', '--savepoints', '0', '--out', rows], check=True, capture_output=True)
        for history, members in ((fork, 5), (rows, 3)):
            with self.subTest(os.path.basename(history)):
                self.browser.resize(1280, 800)
                path, _, _ = self.open(history)
                self.assertGreaterEqual(self.count('#lanes .txn.cast'), members)
                self.assertEqual(self.browser.js(OUTSIDE), [])
                self.assertEqual(self.browser.js(UNREADABLE), [])
                self.assertEqual(self.browser.js(HEADS_COVERED), [])
                self.check_picture()
                self.assertEqual(self.count('.fold'), 0)
                self.assertEqual(self.browser.js(
                    "return getComputedStyle(document.querySelector('#lanes .txn text')).fontSize"),
                    '11px')
                self.shot('tall-' + os.path.basename(history))
                self.assertIn('The one change that helps most: ' if history == fork else
                              'What helps: ', self.text('#summary') + self.text('#advice'))
                parts = ('return [...document.querySelectorAll("#verdict, #meaning, #remedy, '
                         '#one-change, #promise")].filter((part) => !part.hidden).map((part) => part.id)')
                order = ['verdict', 'meaning', 'remedy', 'one-change', 'promise']
                if history == rows:
                    order = order[:3]
                self.assertEqual(self.browser.js(parts), order)
                for again in (False, True):
                    self.browser.resize(400, 800)
                    if again:
                        self.open(history)
                    self.browser.frame()
                    self.assertLessEqual(self.browser.js(FIRST_BOX), 800)
                    self.assertEqual(self.browser.js(parts), order)
                    self.assertEqual(self.browser.js(UNREADABLE), [])
                    self.check_picture()
                self.close(path)

    # Goal: boxes to scale that are too narrow for their texts are no taller than their operations: the
    # first screen shows the whole story. Where there is room, texts are whole.
    def test_boxes_to_scale(self):
        key = 'warehouse/1/district/with/a/long/name/of/its/own'

        def two(name, gap):
            return self.history(
                name, {'session': 'A', 'start': 1000, 'end': 2000, 'ops': [['r', key, None], ['w', key, 1]]},
                {'session': 'B', 'start': 1500 + gap, 'end': 2500 + gap,
                 'ops': [['r', key, None], ['w', key, 2]]})
        self.browser.resize(1280, 800)
        for name, gap in (('narrow.jsonl', 500_000), ('wide.jsonl', 0)):
            with self.subTest(name):
                path, _, _ = self.open(two(name, gap))
                self.browser.js('setView("axis", "time")')
                self.assertEqual(self.count('.fold'), 0)
                self.assertEqual(self.browser.js(
                    'return lanes.scene.boxes.filter(({member, rows, lines}) => '
                    'member && rows > lines.length).length') == 0, name == 'narrow.jsonl')
                self.assertEqual('\u2026' in self.text('#lanes .txn.cast'), name == 'narrow.jsonl')
                self.check_picture(name)
                self.shot('to-scale-' + name)
                self.close(path)

    # Goal: of rows with many columns boxes tell those that tell the versions apart, of selections
    # the row that is wrong, and of long values the beginning, so that the story has room; all of it
    # is there at the press of a button, and in the tip. What tells nothing apart is cut last.
    def test_rows_in_brief(self):
        def row(stamp, more=''):
            return {'item': 7, 'left': 95 - stamp, 'made': 3, 'sort': 'blue', 'stamp': stamp,
                    'text': 'x' * 300 + more}
        write = {'start': 1, 'end': 2, 'session': 'A'}
        path, data, _ = self.open(self.written('columns.jsonl', [
            {'isolde': 2, 'kind': 'history'},
            {**write, 'ops': [['w', 'stock/7', row(1)], ['w', 'stock/8', row(2)]]},
            {**write, 'start': 3, 'end': 9, 'session': 'B', 'ops': [
                ['r', 'stock/7', row(1)], ['r', 'stock/8', row(2)], ['r', 'stock/7', row(5, 'end')]]},
            {**write, 'start': 4, 'end': 6, 'session': 'C', 'ops': [['w', 'stock/7', row(5, 'end')]]}]))
        self.browser.resize(1280, 800)
        box = '#lanes .txn.wrong'
        told = "return [...document.querySelectorAll(arguments[0] + ' text')].map((e) => e.textContent)"
        lines = self.browser.js(told, box)
        brief = ['r(stock/7)={left: 94, stamp: 1, text: ' + 'x' * 24 + '\u2026, \u2026}',
                 'r(stock/7)={left: 90, stamp: 5, text: ' + 'x' * 24 + '\u2026, \u2026}']
        self.assertEqual([line for line in lines if line.startswith('r(')], brief)
        self.assertEqual(self.browser.js(OUTSIDE), [])
        self.assertEqual(self.browser.js(UNREADABLE), [])
        self.assertIn('An ellipsis stands for columns', self.text('#caption'))
        self.shot('rows-in-brief')
        self.browser.hover(box + ' rect')
        self.assertIn('sort: blue', self.text('#tip'))
        self.assertIn('xxxend}', self.text('#tip'))
        self.browser.click('#lengths button:nth-child(2)')
        self.assertIn('sort: blue', self.text('#' + self.browser.js('return view.mode')))
        self.assertEqual(self.browser.js(UNREADABLE), [])
        self.assertNotIn('An ellipsis', self.text('#caption'))
        self.browser.type('w')
        self.assertEqual(self.text('#lengths [aria-pressed="true"]'), 'Brief')
        for width in (1280, 400):
            self.browser.resize(width, 800)
            self.browser.frame()
            for length in ('brief', 'whole'):
                self.browser.js('setLength(arguments[0])', length)
                self.assertEqual(self.browser.js(UNREADABLE), [], (width, length))
                self.check_picture(width, length)
        self.close(path)
        self.open(DEMO)
        self.assertFalse(self.shown('#lengths'))

    # Goal: a story that has no room for all that ends with the first screen, shows there what is
    # wrong, and says how much is above and below; a narrow window is scrolled as a whole.
    def test_too_tall_story(self):
        circle = self.written('twelve.jsonl', [{'isolde': 1, 'kind': 'history'}] + [
            {'session': f's{i}', 'ops': [['r', f'k{i}', None], ['w', f'k{(i + 1) % 12}', i]]}
            for i in range(12)])
        self.browser.resize(1280, 800)
        path, data, _ = self.open(circle)
        note = ("const note = document.querySelector('.fold');"
                'const own = note.getBoundingClientRect();'
                'return [note.textContent, own.bottom <= innerHeight && own.height > 15]')
        shown = ("return [...document.querySelectorAll('#list .card')].filter((card) =>"
                 'card.getBoundingClientRect().bottom <='
                 "document.querySelector('.fold').getBoundingClientRect().top).length")
        whole = self.browser.js(shown)
        self.assertGreaterEqual(whole, 3)
        self.assertEqual(self.browser.js(note), [f'{12 - whole} more transactions below', True])
        self.shot('too-tall')
        self.browser.js("byId('list').scrollTop = 130")
        self.browser.frame()
        self.assertRegex(self.text('.fold'), '^[12] more transactions? above, [0-9] below$')
        self.browser.js("byId('list').scrollTop = 1e6")
        self.browser.frame()
        self.assertRegex(self.text('.fold'), '^[0-9] more transactions above$')
        self.browser.type('g')
        self.browser.type('g', 'g')
        self.assertTrue(self.shown('#lanes .fold'))
        self.browser.resize(400, 900)
        self.open(circle)
        self.assertEqual(self.count('.fold'), 0)
        self.close(path)

        rows = os.path.join(self.folder, 'selections.jsonl')
        subprocess.run([ISOLDE, 'gen', '--workload', 'blindw-pred', '--isolation',
                        'read-committed', '--txns', '300', '--savepoints', '0', '--rollbacks',
                        '0', '--out', rows],
                       check=True, capture_output=True)
        self.browser.resize(1280, 800)
        path, data, _ = self.open(rows)
        self.browser.js('showStory(arguments[0])', len(data['stories']) - 1)
        self.assertTrue(self.browser.js(
            "const wrong = document.querySelector('#list .wrong');"
            'return wrong.offsetTop > innerHeight'))
        self.assertTrue(self.browser.js("""
          const wrong = document.querySelector('#list .wrong').getBoundingClientRect();
          return wrong.top >= byId('list').getBoundingClientRect().top &&
            wrong.bottom <= document.querySelector('.fold').getBoundingClientRect().top"""))
        self.assertRegex(self.text('.fold'), '^[0-9] more transactions above, [0-9] below$')
        self.close(path)

    # Goal: this is so however many violations there are: their tabs take one row, in which the one
    # that is shown is in sight.
    def test_many_violations(self):
        self.browser.resize(1280, 800)
        shorter = 0
        for fault in ('fractured-read', 'non-monotonic-read', 'long-fork', 'causality-violation'):
            with self.subTest(fault):
                history = os.path.join(self.folder, fault + '.jsonl')
                subprocess.run([ISOLDE, 'gen', '--workload', 'general', '--isolation',
                                'strict-serializable', '--fault', fault, '--fault-rate', '0.05',
                                '--keys', '8', '--sessions', '6', '--txns', '400',
                                '--out', history], check=True, capture_output=True)
                path, data, _ = self.open(history)
                self.assertGreater(len(data['stories']), 2)
                self.assertGreater(self.count('#lanes .txn.cast'), 1)
                self.assertEqual(self.browser.js(OUTSIDE), [])
                self.shot('many-' + fault)
                count = self.text('#story-count')
                self.assertIn(f"{len(data['stories'])} violations", count)
                said = subprocess.run([ISOLDE, 'check', history], capture_output=True, text=True)
                in_text = said.stdout.count('\nWhy not ')
                leaves_out = in_text < len(data['stories'])
                self.assertEqual(f'; the text report explains {in_text}, ' in count, leaves_out)
                self.assertEqual('text report' in count, leaves_out)
                shorter += leaves_out
                self.browser.js('showStory(arguments[0])', len(data['stories']) - 1)
                self.assertTrue(self.browser.js("""
                  const row = byId('story-tabs').getBoundingClientRect();
                  const tabs = [...byId('story-tabs').children]
                    .map((tab) => tab.getBoundingClientRect());
                  const shown = tabs[view.story];
                  return tabs.every((tab) => tab.top === tabs[0].top) &&
                    row.left <= shown.left && shown.right <= row.right + 1"""))
                self.close(path)
        self.assertIn(shorter, (1, 2, 3))  # the text leaves out some of some, and none of others

    # Goal: whoever looks at lanes in a narrow window can read all labels, however close the boxes.
    def test_crowded_lanes(self):
        self.browser.resize(400, 900)
        small = ('--keys', '8', '--txns', '200', '--seed')
        long = ('--keys', '60', '--txns', '120', '--ops', '20', '--seed')
        for fault, options in (('long-fork', (*small, '1')), ('causality-violation', (*small, '2')),
                               ('fractured-read', (*small, '1')), ('fractured-read', (*long, '1'))):
            history = os.path.join(self.folder, f'crowded-{fault}.jsonl')
            subprocess.run([ISOLDE, 'gen', '--workload', 'general', '--isolation',
                            'strict-serializable', '--fault', fault, '--fault-rate', '0.05',
                            '--sessions', '6', *options, '--force', '--out', history],
                           check=True, capture_output=True)
            path, data, _ = self.open(history)
            self.walk(data, 400, [('story', 'order'), ('near', 'order'), ('all', 'order'),
                                  ('near', 'time')])
            self.assertGreater(self.count('#lanes path.arrow'), 0)
            self.assertEqual(self.browser.js(ASTRAY), [])
            self.close(path)

    # Goal: what the page says that fingers do is what they do.
    def test_lanes_by_touch(self):
        browser = self.browser
        self.open(DEMO)
        browser.js('setView("mode", "lanes")')
        self.assertEqual(self.text('#hint'), 'Drag to move, Ctrl and the wheel to zoom.')
        browser.touch(True)
        try:
            path, _, _ = self.open(DEMO)
            browser.resize(390, 844)
            browser.js('setView("mode", "lanes")')
            self.assertEqual(self.text('#hint'),
                             'Drag sideways to move, with two fingers to zoom.')
            browser.js('document.querySelector("#lanes").scrollIntoView({behavior: "instant", '
                       'block: "center"})')
            transform = 'return d3.zoomTransform(document.querySelector("#lanes svg"))'
            x, y = browser.js("""const box = document.querySelector("#lanes svg").getBoundingClientRect();
                                 return [box.left + box.width / 2, box.top + box.height / 2]""")
            # On arrows and their labels, too, which are drawn anew on the way.
            under = browser.js('return [-20, 20].map((by) => document.elementFromPoint('
                               'arguments[0] + by, arguments[1]).closest("g.arrows") !== null)', x, y)
            self.assertIn(True, under)
            before = browser.js(transform)
            browser.fingers([(x - 20, y), (x + 20, y)], [(x - 120, y), (x + 120, y)])
            spread = browser.js(transform)
            self.assertGreater(spread['k'], before['k'] * 2)
            browser.fingers([(x, y)], [(x + 60, y)])
            moved = browser.js(transform)
            self.assertAlmostEqual(moved['k'], spread['k'])
            self.assertGreater(moved['x'], spread['x'] + 20)
            self.assertEqual(self.count('#lanes .held *'), 0)
            browser.js('setView("mode", "text")')
            self.assertEqual(self.text('#hint'), 'T1, T2, \u2026 lead to the transactions.')
            self.close(path)
        finally:
            browser.touch(False)

    # Goal: a graph of which a narrow page shows a part says so.
    def test_graph_that_is_too_wide(self):
        hint = 'Wider than the page: scroll sideways for the rest.'
        path, _, _ = self.open(os.path.join(ROOT, 'demo', 'pg-serializable-upsert.jsonl'))
        beyond = 'const all = document.querySelector("#graph"); return all.scrollWidth - all.clientWidth'
        for width, told in ((1280, ''), (390, hint), (1280, '')):
            self.browser.resize(width, 844)
            self.browser.js('setView("mode", "graph")')
            self.assertEqual(self.text('#hint'), told)
            self.assertEqual(self.browser.js(beyond) > 0, told != '')
        self.browser.resize(390, 844)
        self.browser.js('setView("mode", "lanes")')
        self.assertNotEqual(self.text('#hint'), hint)
        self.close(path)

    # Goal: lanes with all transactions, those of the violation set apart, and its arrows.
    def test_lanes(self):
        path, data, _ = self.open(DEMO)
        self.assertEqual(self.count('#lanes .txn.cast'), 2)
        self.assertEqual(self.count('#lanes path.arrow.k-rw'), 2)
        self.assertEqual(self.text('#lanes .txn.cast .title'), 'T1 = a:4')
        self.assertEqual(self.text('#lanes .txn.cast .when'), 'at 53.724 ms for 9.803 ms')
        self.assertEqual(self.browser.js(COVERED), [])
        around = self.count('#lanes .txn')
        self.shot('demo-light')
        self.browser.click('#scopes button:nth-child(3)')
        self.assertEqual(self.count('#lanes .txn'), len(data['txns']))
        self.browser.click('#scopes button:nth-child(1)')
        self.assertEqual(self.count('#lanes .txn'), 2)
        self.assertLess(2, around)
        # To scale: T2 starts within T1, as the times say.
        self.browser.click('#axes button:nth-child(2)')
        left, right = self.browser.js(
            "return [...document.querySelectorAll('#lanes .txn.cast rect')].map((r) => {"
            "const x = Number(r.getAttribute('x'));"
            "return [x, x + Number(r.getAttribute('width'))]})")
        t1, t2 = (data['txns'][member['txn']] for member in data['stories'][0]['txns'])
        scale = (left[1] - left[0]) / (t1['end'] - t1['start'])
        self.assertAlmostEqual((right[0] - left[0]) / scale, t2['start'] - t1['start'],
                               delta=0.01 * (t1['end'] - t1['start']))
        self.browser.click('#zooms button:nth-child(3)')
        wider = self.browser.js(
            "return Number(document.querySelector('#lanes .txn.cast rect').getAttribute('width'))")
        self.assertGreater(wider, 1.3 * (left[1] - left[0]))
        self.close(path)

    def history(self, name, *lines):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write('{"isolde":1,"kind":"history"}\n')
            file.write(''.join(json.dumps(line) + '\n' for line in lines))
        return path

    # Goal: each step of an argument has its place, and shows its own transactions only; the step
    # that joins the others says what they say.
    def test_steps(self):
        path, data, _ = self.open(os.path.join(DATA, 'cases.jsonl'), '--level', 'ser')
        self.assertFalse(self.shown('#verdicts'))  # one level is nothing to choose from
        story = data['stories'][0]
        self.assertGreater(story['steps_total'], 2)
        self.assertEqual(self.count('#chapters button'), story['steps_total'])
        self.browser.click('#scopes button:nth-child(1)')
        for at, chapter in enumerate(story['chapters']):
            self.browser.click(f'#chapters button:nth-child({at + 1})')
            self.assertEqual(self.count('#lanes .txn'), len(chapter['txns']))
            self.assertEqual(self.count('#lanes .arrow'),
                             len(set(chapter['arrows'] + chapter['evidence'])))
            self.assertTrue(self.text('#conclusion'))
        self.assertEqual(story['chapters'][-1]['arrows'], [])
        self.assertIn('a contradiction', self.text('#conclusion'))
        self.assertEqual(self.count('#argument li'), len(story['chapters'][-1]['from']))
        # In the graph the step stands out.
        self.browser.js('setView("mode", "graph")')
        self.assertEqual(self.count('#graph .edge.other'), 0)
        self.browser.click('#chapters button:nth-child(1)')
        self.assertGreater(self.count('#graph .edge.other'), 0)
        self.assertEqual(self.count('#graph .edge:not(.other)'), len(story['chapters'][0]['arrows']))
        self.close(path)

    # Goal: a transaction without an end is open to the right; the others are at their times.
    def test_unknown_ends(self):
        path, data, _ = self.open(self.history(
            'unknown.jsonl',
            {'session': 'A', 'start': 0, 'end': 100, 'ops': [['w', 'x', 1]]},
            {'session': 'B', 'start': 50, 'status': 'indeterminate', 'ops': [['w', 'x', 2]]},
            {'session': 'C', 'start': 200, 'end': 201, 'ops': [['r', 'x', 2]]},
            {'session': 'D', 'start': 400, 'end': 401, 'ops': [['r', 'x', 1]]}))
        self.assertIsNone(data['txns'][1]['end'])
        boxes = ("return Object.fromEntries([...document.querySelectorAll('#lanes .txn')].map("
                 "(txn) => { const r = txn.querySelector('rect').getBoundingClientRect();"
                 "return [txn.getAttribute('aria-label').match(/[A-D]:0/)[0], [r.left, r.right]]}))")
        for axis in ('order', 'time'):
            self.browser.js('setView("axis", arguments[0])', axis)
            self.assertEqual(self.count('#lanes .txn'), 4)
            self.assertEqual(self.count('#lanes .txn.open'), 1)
            self.assertEqual(self.browser.js(NAMELESS), [])
            self.assertEqual(self.browser.js(TICKS_ASTRAY), [])
            at = self.browser.js(boxes)
            self.assertLess(at['A:0'][0], at['B:0'][0])
            self.assertLess(at['B:0'][0], at['A:0'][1])
            self.assertLess(at['A:0'][1], at['C:0'][0])
            self.assertLess(at['D:0'][1], at['B:0'][1])
            self.assertIn('outcome unknown', self.text('#legend'))
            self.shot('unknown-' + axis)
        self.assertNotIn('no times', self.text('#lanes'))
        self.close(path)

    # Goal: a lane says on which server its session ran, where the history tells; of a session that
    # moved the boxes say so.
    def test_servers(self):
        attack = '<img src=x onerror="window.attacked=1">'
        reads = [['r', 'x', None], ['r', 'y', None]]
        path, _, _ = self.open(self.history(
            'servers.jsonl',
            {'session': 'A', 'server': 'n1', 'ops': [['w', 'z', 1]]},
            {'session': 'A', 'server': attack, 'ops': [*reads, ['w', 'x', 1]]},
            {'session': 'B', 'server': 'n2:5432', 'ops': [*reads, ['w', 'y', 1]]},
            {'session': 'C', 'ops': [['r', 'z', 1]]}))
        lanes = ("return [...document.querySelectorAll('#lanes .lane-server')]"
                 ".map((text) => text.firstChild.textContent)")
        self.browser.js('setView("scope", "all")')
        moved, stayed = self.browser.js(lanes)
        self.assertEqual(moved, f'on n1, {attack}'[:len(moved) - 1] + '\u2026')
        self.assertEqual(stayed, 'on n2:5432')
        self.assertEqual(
            self.browser.js("return [...document.querySelectorAll('#lanes .txn.cast')]"
                            ".map((box) => box.querySelectorAll('text')[1].textContent)"),
            ['on ' + attack[:26] + '\u2026', 'r(x)=initial'])
        self.assertEqual(self.count('img'), 0)
        self.browser.js('setView("mode", "list")')
        self.assertIn('session B, on n2:5432', self.text('#list'))
        self.shot('servers')
        self.close(path)

    # Goal: what all servers are called is no news in a lane; the details have the whole name.
    def test_shared_names_of_servers(self):
        reads = [['r', 'x', None], ['r', 'y', None]]
        for left, right, shown in (('/run/db/.s 1 backend 7', '/run/db/.s 1 backend 12',
                                    ['on 1 backend 7', 'on 1 backend 12']),
                                   ('/run/n1/.s backend 7', '/run/n2/.s backend 7',
                                    ['on n1/.s backend 7', 'on n2/.s backend 7']),
                                   ('h:1', 'h:2', ['on h:1', 'on h:2']),
                                   ('/a', 'b', ['on /a', 'on b']),
                                   ('n1', 'n1', ['on n1', 'on n1'])):
            with self.subTest(left):
                path, _, _ = self.open(self.history(
                    'names.jsonl',
                    {'session': 'A', 'server': left, 'ops': [*reads, ['w', 'x', 1]]},
                    {'session': 'B', 'server': right, 'ops': [*reads, ['w', 'y', 1]]}))
                self.assertEqual(
                    self.browser.js("return [...document.querySelectorAll('#lanes .lane-server')]"
                                    ".map((text) => text.firstChild.textContent)"), shown)
                self.browser.click('#lanes .txn.cast rect')
                self.assertIn(f'on {left}', self.text('#details'))
                self.close(path)

    # Goal: faults have a lane, with labels that cover neither boxes nor each other and lie within
    # the window; the list tells of them in lines; what is not shown is counted.
    def test_events(self):
        reads = [['r', 'x', None], ['r', 'y', None]]
        fault = {'event': 'fault'}
        path, data, _ = self.open(self.history(
            'events.jsonl',
            {**fault, 'what': 'load', 'at': 1},
            {**fault, 'what': 'pause n2', 'begins': 'n2', 'at': 500},
            {'session': 'A', 'start': 1000, 'end': 2000, 'ops': [*reads, ['w', 'x', 1]]},
            {**fault, 'what': 'kill n1', 'begins': 'n1', 'at': 1600},
            {'event': 'cut', 'what': 'connection of session 3', 'at': 1700},
            {'event': 'cut', 'what': 'connection of session 4', 'at': 1710},
            {'session': 'B', 'start': 1500, 'end': 2600, 'ops': [*reads, ['w', 'y', 2]]},
            {**fault, 'what': 'resume n2', 'ends': 'n2', 'at': 2400}))
        self.assertEqual([event['at'] for event in data['events']], [-999, -500, 600, 700, 710])
        self.assertIn('1 event at other times left out, the nearest 999 ns before them: load.',
                      self.text('#caption'))
        troubles = """
          const parts = [...document.querySelectorAll('#lanes .event text')].filter(
            (text) => text.style.display !== 'none');
          const frame = byId('lanes').getBoundingClientRect();
          const boxes = [...document.querySelectorAll('#lanes .txn > rect')];
          const meet = (a, b) => a.left < b.right && b.left < a.right &&
            a.top < b.bottom && b.top < a.bottom;
          return parts.map((text) => [text, text.getBoundingClientRect()]).filter(([text, own]) =>
            own.left < frame.left || own.right > frame.right ||
            [...parts, ...boxes].some((part) => part !== text &&
              meet(own, part.getBoundingClientRect()))).map(([text]) => text.textContent)"""
        shown = ("return [...document.querySelectorAll('#lanes .event text')].filter("
                 "(text) => text.style.display !== 'none').map((text) => text.textContent)")
        for theme in ('light', 'dark'):
            self.browser.prefer(theme)
            for width in (1280, 400):
                self.browser.resize(width, 800)
                for axis in ('time', 'order'):
                    self.browser.js('setView("mode", "lanes"); setView("axis", arguments[0])', axis)
                    self.assertEqual(self.browser.js(troubles), [], (width, axis))
                    self.assertEqual(self.browser.js(shown)[0], 'pause n2', (width, axis))
                    self.check_picture(width, axis)
                    self.shot(f'events-{axis}-{width}-{theme}')
        self.assertIn('event: a fault', self.text('#legend'))
        self.assertEqual(
            self.browser.js("return [...document.querySelectorAll('#lanes .lane-name')]"
                            ".map((text) => text.firstChild.textContent)"), ['A', 'B'])
        self.browser.js("document.querySelector('#lanes .event').focus()")
        self.browser.type('\ue014')
        self.assertIn('kill n1', self.text('#tip'))
        self.assertIn('no end recorded', self.text('#tip'))
        # Of the whole history in the statistics, as far as it reaches; the first one is before it.
        self.assertEqual(self.count('#plots figure'), 4)
        self.assertEqual(self.count('#plots .event-band'), 4 * 4)
        self.assertIn('events, such as faults', self.text('#measures-note'))
        told = self.browser.js('return eventTexts(0)')
        self.assertEqual(told, ['fault: pause n2'])
        self.browser.js('setView("mode", "list")')
        self.assertIn('pause n2 from -500 ns to 1.400 us (1.900 us)', self.text('#list .happened'))
        self.check_picture('list')
        self.shot('events-list-400')
        self.close(path)

    def look(self, name, *checks):
        """At both widths, at what is there first: nothing meets, all can be read; and a picture."""
        for width in (1280, 400):
            self.browser.resize(width, 800)
            self.browser.frame()
            self.check_picture(name, width)
            self.assertEqual(self.browser.js(UNREADABLE), [], width)
            self.assertLessEqual(self.browser.js('return document.documentElement.scrollWidth'), width)
            self.assertLessEqual(self.browser.js(FIRST_BOX), 800, width)
            for check in checks:
                check()
            if SCREENSHOTS:
                self.browser.screenshot(os.path.join(SCREENSHOTS, f'{name}-{width}.png'))
        self.browser.resize(1280, 800)
        self.browser.frame()

    # Goal: a transaction that contradicts itself is shown with who wrote what it saw, and with no
    # arrow to itself, in lanes, list and graph.
    def test_internal_finding(self):
        path, data, _ = self.open(self.history(
            'own-write.jsonl',
            {'session': 'A', 'start': 1, 'end': 9, 'ops': [['w', 'x', 1], ['r', 'x', 2]]},
            {'session': 'B', 'start': 2, 'end': 5, 'ops': [['w', 'x', 2]]},
            {'session': 'C', 'start': 6, 'end': 8, 'ops': [['w', 'y', 1]]}), '--level', 'serializable')
        self.assertEqual(data['stories'][0]['kind'], 'finding')

        def two():
            mode = self.browser.js('return view.mode')
            self.assertEqual(self.browser.js(
                "return boxesInPicture().length"), 2, mode)
            self.assertEqual(self.count(f'#{mode} path.arrow'), 1)
            self.assertEqual(self.text(f'#{mode} .arrow-label text'), 'wr x')
            self.assertEqual(self.text(f'#{mode} .bad'), 'r(x)=2')
            self.assertIn('An arrow leads from who wrote a value', self.text('#caption'))
        self.look('internal', two)
        self.assertEqual(self.text('#argument'),
                         'T1 read x = 2 from T2, although it had written x = 1 before.')
        self.browser.js('setView("mode", "graph")')
        self.assertEqual(self.browser.js(
            "return [...document.querySelectorAll('#graph .node')].map((node) =>"
            "node.querySelector('text').textContent)"), ['T1 = A:0', 'T2 = B:0'])
        self.assertEqual(self.count('#graph .edge'), 1)
        self.assertEqual(self.browser.js(GRAPH_UNTRUE), [])
        self.shot('internal-graph')
        self.close(path)

    # Goal: of a read that was not repeatable both writers, an arrow from each, and one sentence.
    def test_non_repeatable_finding(self):
        path, data, _ = self.open(self.history(
            'twice.jsonl',
            {'session': 'A', 'start': 1, 'end': 2, 'ops': [['w', 'x', 1]]},
            {'session': 'B', 'start': 3, 'end': 9, 'ops': [['r', 'x', 1], ['r', 'x', 2]]},
            {'session': 'C', 'start': 4, 'end': 6, 'ops': [['w', 'x', 2]]}))
        self.assertEqual(data['stories'][0]['kind'], 'finding')

        def three():
            mode = self.browser.js('return view.mode')
            self.assertEqual(self.browser.js('return boxesInPicture().length'), 3, mode)
            self.assertEqual(self.count(f'#{mode} path.arrow'), 2)
            self.assertEqual(self.browser.js(
                "return [...document.querySelectorAll('#' + view.mode + ' .bad')]"
                '.map((each) => each.textContent)'), ['r(x)=2'])
        self.look('non-repeatable', three)
        self.assertEqual(self.count('#argument li'), 1)
        self.assertIn('x = 1 from T2 first and x = 2 from T3 later', self.text('#argument'))
        self.close(path)

    # Goal: of whatever is not linearizable, by a cycle, a finding or for want of an order, the page
    # says how far its operations can be put in order, and who has no place; boxes have no places
    # where there is something else to tell.
    def test_furthest_order(self):
        write = {'session': 'A', 'start': 1, 'end': 2}
        cases = {
            'stale': ([{**write, 'ops': [['w', 'x', 1]]},
                       {'session': 'B', 'start': 3, 'end': 4, 'ops': [['w', 'x', 2]]},
                       {'session': 'C', 'start': 5, 'end': 6, 'ops': [['r', 'x', 1]]}],
                      'x that explains all that had returned before T1 did: T2 \u2192 T3.', 0),
            'thin-air': ([{**write, 'ops': [['w', 'x', 1]]},
                          {'session': 'B', 'start': 3, 'end': 4, 'ops': [['r', 'x', 1]]},
                          {'session': 'C', 'start': 5, 'end': 6, 'ops': [['r', 'x', 9]]}],
                         'x that explains all that had returned before T1 did: A:0 \u2192 B:0.', 0),
            'list': ([{**write, 'ops': [['append', 'x', 1]]},
                      {'session': 'B', 'start': 3, 'end': 4, 'ops': [['append', 'x', 2]]},
                      {'session': 'C', 'start': 5, 'end': 6, 'ops': [['r', 'x', [1]]]}],
                     'x that explains all that had returned before T2 did: A:0 \u2192 T1.', 0),
            'lost-update': ([{**write, 'ops': [['w', 'x', 1]]},
                             {'session': 'B', 'start': 3, 'end': 6, 'ops': [['r', 'x', 1], ['w', 'x', 2]]},
                             {'session': 'C', 'start': 4, 'end': 7, 'ops': [['r', 'x', 1], ['w', 'x', 3]]}],
                            'x that explains all that had returned before T2 did: A:0 \u2192 T1.', 0)}
        for name, (lines, told, placed) in cases.items():
            with self.subTest(name):
                path, data, _ = self.open(self.history(name + '.jsonl', *lines))
                tab = next(at for at, story in enumerate(data['stories'])
                           if 'linearizable' in story['levels'])
                self.browser.js('showStory(arguments[0])', tab)
                self.assertIn(told, self.text('#order'))
                self.assertIn('room for', self.text('#order'))
                self.assertIn('so the history is not linearizable', self.text('#order'))
                boxes = ("return [...document.querySelectorAll('#lanes .txn')].filter((box) =>"
                         "/placed [0-9] of 2/.test(box.textContent)).length")
                self.assertGreaterEqual(self.browser.js(boxes), placed)
                self.assertEqual(self.browser.js(boxes) > 0, placed > 0)
                self.assertEqual('Places are those' in self.text('#caption'), placed > 0)
                self.look('order-' + name)
                self.close(path)

    # Goal: a picture by itself says what its arrows and signs mean: each kind of arrow in a line of
    # its legend, below or above all boxes and not to a side of them, within the picture and as large as
    # the rest.
    def test_legend_of_the_picture(self):
        for name in ('write-skew', 'stale-read', 'fractured-read', 'repeated-values', 'non-repeatable-read',
                     'read-only-anomaly'):
            with self.subTest(name):
                svg = os.path.join(self.folder, name + '.svg')
                subprocess.run([ISOLDE, 'check', '--no-progress', '--svg', svg,
                                os.path.join(DATA, name + '.jsonl')], capture_output=True, check=False)
                self.browser.open('/dev/null')
                self.browser.console()
                self.browser.resize(1280, 800)
                self.browser.open(svg)
                kinds, legend, troubles = self.browser.js("""
                  const rect = (part) => part.getBoundingClientRect();
                  const frame = rect(document.querySelector('svg'));
                  const nodes = [...document.querySelectorAll('.node:not(.legend) polygon')].map(rect);
                  const legend = [...document.querySelectorAll('.legend text')];
                  const table = rect(document.querySelector('.legend'));
                  const middle = (table.left + table.right) / 2;
                  const aside = middle < Math.min(...nodes.map((node) => node.left)) ||
                    middle > Math.max(...nodes.map((node) => node.right));
                  const loose = [...document.querySelectorAll('.graph > text'), ...legend];
                  const labels = [...document.querySelectorAll('.edge text')];
                  const kinds = labels.map((label) => label.textContent.trim().split(' ')[0]
                    .replace(/^[0-9]+:/, '')).filter((kind) => kind !== '');
                  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
                  const troubles = [...loose, ...labels].filter((text) => {
                    const own = rect(text);
                    return own.left < frame.left || own.right > frame.right || own.top < frame.top ||
                      own.bottom > frame.bottom || own.height < 9 || nodes.some((node) => meet(own, node));
                  }).map((text) => text.textContent);
                  return [kinds, legend.map((text) => text.textContent),
                          troubles.concat(aside ? ['beside the boxes'] : [])]""")
                self.assertEqual(troubles, [])
                for kind in kinds:
                    self.assertTrue(any(f'> {kind} ' in line.replace('\xa0', ' ') for line in legend),
                                    (kind, legend))
                if name in ('repeated-values', 'non-repeatable-read'):
                    self.assertTrue(any(line.startswith('red: ') for line in legend), legend)
                else:
                    self.assertTrue(kinds)
                self.shot('svg-' + name)
                self.assertEqual(self.browser.console(), [])

    # Goal: where every order was tried, the transaction with whose end none was left is red.
    def test_no_possible_order(self):
        path, data, _ = self.open(os.path.join(DATA, 'repeated-values.jsonl'),
                                  '--level', 'linearizable')
        self.assertEqual(data['stories'][0]['kind'], 'exhaustion')
        self.assertEqual(self.count('#lanes .txn.wrong'), 1)
        self.assertIn('T1 = d:0', self.text('#lanes .txn.wrong'))
        self.assertIn('r(x)=1', self.text('#lanes .txn .bad'))
        self.assertIn('T1 read x = 1, which was not there', self.text('#argument'))
        self.assertIn('came between', self.text('#argument'))
        self.assertIn('had returned before T1 did: T2 \u2192 b:0 \u2192 T3.', self.text('#order'))
        self.assertIn('placed 1 of 3', self.text('#lanes'))
        self.assertIn('b:0, placed 2 of 3', self.text('#lanes'))
        self.assertIn('placed 3 of 3', self.text('#lanes'))
        self.browser.js('setView("mode", "list")')
        self.assertIn('placed 3 of 3', self.text('#list'))
        self.assertEqual(self.browser.js(UNREADABLE), [])
        self.assertIn('Where to look:', self.text('#story-cause'))
        self.close(path)

    # Goal: where times alone do not show it, each box has its place in an order of what had
    # returned, but for the one that no order has room for.
    def test_places_in_an_order(self):
        write = {'start': 1, 'end': 9}
        path, data, _ = self.open(self.history(
            'order.jsonl',
            {**write, 'session': 'A', 'ops': [['w', 'x', 1]]},
            {**write, 'session': 'B', 'ops': [['w', 'x', 2]]},
            {**write, 'session': 'C', 'ops': [['w', 'x', 1]]},
            {'session': 'D', 'start': 2, 'end': 4, 'ops': [['r', 'x', 2]]},
            {'session': 'E', 'start': 5, 'end': 8, 'ops': [['r', 'x', 1]]},
            {'session': 'F', 'start': 10, 'end': 11, 'ops': [['r', 'x', 2]]}),
            '--level', 'linearizable')
        self.assertEqual(data['stories'][0]['reasons'], [])
        places = data['stories'][0]['order']['places']
        self.assertEqual(sorted(places), [0, 1, 2, 3, 4, 5])
        told = self.browser.js("return [...document.querySelectorAll('#lanes .txn')].map("
                               "(txn) => (txn.textContent.match(/placed ([0-9]) of 5/) || [0, 0])[1])")
        self.assertEqual([int(each) for each in told],
                         [places[int(name[1:]) - 1] for name in self.browser.js(
                             "return [...document.querySelectorAll('#lanes .txn .title')]"
                             ".map((title) => title.textContent.split(' ')[0])")])
        self.assertIn('r(x)=2', self.text('#lanes .txn.wrong'))
        self.assertNotIn('placed', self.text('#lanes .txn.wrong'))
        self.assertIn('had returned before T6 did: ', self.text('#order'))
        self.close(path)

    # Goal: the mouse: a tip with the operations, details that stay.
    def test_mouse(self):
        path, _, _ = self.open(DEMO)
        self.assertFalse(self.shown('#tip'))
        self.browser.hover('#lanes .txn.cast rect')
        self.assertTrue(self.shown('#tip'))
        self.assertIn('w(stock.plums)=7', self.text('#tip'))
        self.browser.click('#lanes .txn.cast rect')
        self.assertIn('session a', self.text('#details'))
        self.assertIn('line 17', self.text('#details'))
        self.browser.click('#lanes .arrow-label')
        self.assertIn('T1 read stock.plums = 3', self.text('#details'))
        self.assertEqual(self.count('#argument button.on'), 1)
        self.close(path)

    # Goal: all of it by keyboard.
    def test_keyboard(self):
        path, _, _ = self.open(DEMO)
        browser = self.browser
        browser.js("document.querySelector('#lanes .txn[tabindex=\"0\"]').focus()")
        focused = "return document.activeElement.getAttribute('aria-label').split(',')[0]"
        self.assertEqual(browser.js(focused), 'T1 = a:4')
        browser.type('ArrowRight')
        self.assertEqual(browser.js(focused), 'a:5')
        browser.type('ArrowLeft', 'ArrowDown')
        self.assertEqual(browser.js(focused), 'T2 = b:5')
        browser.type('Enter')
        self.assertIn('T2 = b:5', self.text('#details'))
        browser.type('n')
        self.assertEqual(self.text('#argument button.on b'), 'T1 before T2')
        browser.type('n')
        self.assertEqual(self.text('#argument button.on b'), 'T2 before T1')
        browser.type('p')
        self.assertEqual(self.text('#argument button.on b'), 'T1 before T2')
        browser.type('Escape')
        self.assertEqual(self.count('#argument button.on'), 0)
        browser.type('?')
        self.assertTrue(browser.js("return document.querySelector('#help').open"))
        browser.type('Escape')
        self.assertFalse(browser.js("return document.querySelector('#help').open"))
        browser.type('/')
        self.assertEqual(browser.js('return document.activeElement.id'), 'search')
        browser.type(*'a:4')
        self.assertEqual(self.count('#table tbody tr'), 1)
        browser.type('Escape')
        self.assertEqual(self.count('#table tbody tr'), 48)
        browser.type('t')
        self.assertEqual(self.text('#axes [aria-pressed="true"]'), 'Time')
        browser.type('a')
        self.assertEqual(self.text('#scopes [aria-pressed="true"]'), 'All')
        self.close(path)

    # Goal: where lanes have no room for the texts of the story, its transactions are listed one
    # below the other, with the same arrows; by mouse and keyboard as the lanes.
    def test_list(self):
        self.browser.resize(400, 900)
        path, data, _ = self.open(DEMO)
        self.assertTrue(self.shown('#list'))
        self.assertFalse(self.shown('#lanes') or self.shown('#scopes') or self.shown('#axes'))
        self.assertEqual(self.text('#views [aria-pressed="true"]'), 'List')
        self.assertEqual(self.count('#list .card'), 2)
        self.assertEqual(self.count('#list .arrow.k-rw'), 2)
        self.assertEqual(self.browser.js(CLOSE), 0)
        self.assertEqual(self.text('#list .title'), 'T1 = a:4')
        self.assertIn('at 53.724 ms for 9.803 ms', self.text('#list .card'))
        # T2 starts within T1, and its bar says so.
        t1, t2 = (data['txns'][member['txn']] for member in data['stories'][0]['txns'])
        left, width = self.browser.js(
            "const [a, b] = [...document.querySelectorAll('#list .span i')]"
            ".map((bar) => bar.getBoundingClientRect()); return [b.left - a.left, a.width]")
        self.assertAlmostEqual(left / width,
                               (t2['start'] - t1['start']) / (t1['end'] - t1['start']), delta=0.02)
        self.browser.js("document.querySelector('#list .card').focus()")
        self.browser.type('ArrowDown', 'Enter')
        self.assertIn('T2 = b:5', self.text('#details'))
        self.assertEqual(self.text('#list .card.kept .title'), 'T2 = b:5')
        self.browser.click('#list .arrow-label')
        self.assertIn('T1 read stock.plums = 3', self.text('#details'))
        self.assertEqual(self.count('#list .arrow.on'), 1)
        # What was clicked is told right below the picture.
        self.assertTrue(self.browser.js(
            "const top = (id) => byId(id).getBoundingClientRect().top;"
            "return top('legend') < top('details') && top('details') < top('argument-title')"))
        # A wider window has room for lanes; what was chosen stays.
        self.browser.resize(1280, 900)
        # The page is told of its size with the next frame.
        self.browser.js('return new Promise((told) => requestAnimationFrame(told))')
        self.assertTrue(self.shown('#lanes'))
        self.browser.js("setView('mode', 'list')")
        self.browser.resize(1000, 900)
        self.assertTrue(self.shown('#list'))
        self.close(path)

    # Goal: the graph is Graphviz's, the text is what the program prints.
    def test_graph_and_text(self):
        path, data, text = self.open(DEMO)
        self.browser.type('g', 'g')
        self.assertFalse(self.shown('#lanes'))
        self.assertEqual(self.count('#graph .node'), 2)
        self.assertEqual(self.count('#graph .edge.k-rw'), 2)
        self.shot('graph')
        self.browser.click('#graph .node')
        self.assertIn('line 17', self.text('#details'))
        self.assertEqual(self.count('#graph .node.kept'), 1)
        self.browser.js("document.querySelectorAll('#graph .edge')[1].focus()")
        self.browser.type('Enter')
        self.assertIn('T2 read stock.plums = 3', self.text('#details'))
        self.assertEqual(self.count('#graph .edge.kept'), 1)
        self.browser.click('#graph .edge text')
        self.assertIn('T1 read stock.plums = 3', self.text('#details'))
        self.browser.type('g')
        told = self.text('#text')
        self.assertEqual(told, data['stories'][0]['text'])
        # The text of check is indented by two, and wrapped two columns earlier.
        self.assertIn(' '.join(told.split()), ' '.join(text.split()))
        self.browser.type('g')
        self.assertTrue(self.shown('#lanes'))
        self.close(path)

    # Goal: search and filters find what a reader of the data finds.
    def test_search(self):
        path, data, _ = self.open(DEMO)

        def search(words):
            self.browser.js("const e = document.querySelector('#search'); e.value = arguments[0];"
                            "e.dispatchEvent(new Event('input'))", words)
            return self.browser.js(
                "return [...document.querySelectorAll('#table .open-txn')].map((b) => "
                "b.textContent.split(' = ').pop())")

        def uses(txn, key):
            return any(data['keys'][op[1]] == key for op in txn['ops'])
        by_key = [txn['id'] for txn in data['txns'] if uses(txn, 'stock.limes')]
        self.assertEqual(sorted(search('key:stock.limes')), sorted(by_key))
        self.assertEqual(search('key:stock'), [])
        by_value = [txn['id'] for txn in data['txns']
                    if any(op[2].endswith('=7') for op in txn['ops'])]
        self.assertEqual(sorted(search('value:7')), sorted(by_value))
        by_session = [txn['id'] for txn in data['txns'] if txn['id'].startswith('c:')]
        self.assertEqual(sorted(search('session:c')), sorted(by_session))
        self.assertEqual(search('id:T2'), ['b:5'])
        self.assertEqual(search('w(stock.plums)=7'), ['a:4'])
        self.assertEqual(search('session:c w(stock.plums)=7'), [])
        search('')
        self.browser.click('#only-story')
        self.assertEqual(self.count('#table tbody tr'), 2)
        self.browser.click('#table .open-txn')
        self.assertIn('line 17', self.text('#table .opened'))
        self.close(path)

    # Goal: the levels, by verdict and by name, and from a level to its story.
    def test_levels(self):
        path, data, _ = self.open(DEMO)
        violated = [level for level in data['levels'] if level['verdict'] == 'violated']
        self.assertEqual(self.count('#matrix .chip'), len(data['levels']))
        self.assertEqual(self.count('#matrix .chip.violated'), len(violated))
        self.browser.click('#verdicts button:nth-child(1)')
        self.assertEqual(self.count('#matrix .chip.violated.dim'), len(violated))
        self.browser.click('#verdicts button:nth-child(1)')
        self.assertEqual(self.count('#matrix .chip.dim'), 0)
        self.browser.click('#matrix [data-level="linearizable"]')
        self.assertIn('lost update', self.text('#level-info'))
        self.assertTrue(self.shown('#level-info a'))
        self.close(path)

    # Goal: light and dark as the system prefers, and the other way by key.
    def test_themes(self):
        luminance = ("const c = getComputedStyle(document.body).backgroundColor.match(/\\d+/g);"
                     "return (Number(c[0]) + Number(c[1]) + Number(c[2])) / 3")
        self.browser.prefer('dark')
        path, _, _ = self.open(DEMO)
        self.assertLess(self.browser.js(luminance), 80)
        self.shot('demo-dark')
        self.browser.type('d')
        self.assertGreater(self.browser.js(luminance), 200)
        self.browser.resize(400, 900)
        self.shot('demo-narrow')
        self.close(path)

    # Goal: on paper the text is there too, and in the colours of paper.
    def test_print(self):
        self.browser.prefer('dark')
        path, _, _ = self.open(DEMO)
        dark = [{'name': 'prefers-color-scheme', 'value': 'dark'}]
        self.browser.devtools('Emulation.setEmulatedMedia', media='print', features=dark)
        self.browser.js("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.js('return document.documentElement.dataset.theme'), 'light')
        self.assertTrue(self.shown('#text'))
        self.assertIn('a contradiction', self.text('#text'))
        self.assertFalse(self.shown('#toolbar'))
        self.browser.js("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.js('return document.documentElement.dataset.theme'), 'dark')
        self.browser.devtools('Emulation.setEmulatedMedia', media='screen')
        self.close(path)

    # Goal: keys, values and sessions are text and stay text, whatever is in them.
    def test_hostile_names(self):
        attack = ('</script><script>window.attacked=1</script>'
                  '<img src=x onerror="window.attacked=1">')
        reads = [['r', attack, None], ['r', 'y', None]]
        lines = [{'isolde': 1, 'kind': 'history'},
                 {'session': attack, 'ops': [*reads, ['w', attack, attack]]},
                 {'session': '\x01\u202e', 'ops': [*reads, ['w', 'y', 2]]}]
        lines[0]['database'] = lines[0]['isolation'] = attack
        history = os.path.join(self.folder, 'hostile.jsonl')
        with open(history, 'w', encoding='utf-8') as file:
            file.write(''.join(json.dumps(line) + '\n' for line in lines))
        path, data, _ = self.open(history)
        self.assertEqual(len(data['stories']), 1)
        for mode in ('graph', 'text', 'lanes'):
            self.browser.js('setView("mode", arguments[0])', mode)
        self.browser.hover('#lanes .txn.cast rect')
        self.assertIn('<img src=x', self.text('#tip'))
        self.assertIsNone(self.browser.js('return window.attacked || null'))
        self.assertEqual(self.count('img'), 0)
        self.assertIn('<img src=x', self.text('#setting'))
        self.close(path)

    # Goal: a history without violations: no story, the rest is there, in a narrow window with
    # letters that can be read. Without times no column is empty, and axes count whole transactions.
    def test_no_violation(self):
        self.browser.resize(400, 900)
        path, data, _ = self.open(os.path.join(DATA, 'serial.jsonl'))
        self.assertEqual(data['stories'], [])
        self.assertFalse(self.shown('#story'))
        self.assertFalse(self.shown('#nav-story'))
        self.assertIn('No anomaly was found in', self.text('#verdict'))
        self.assertFalse(self.shown('#meaning') or self.shown('#remedy'))
        self.assertRegex(self.text('#bounds'), r'\d+ levels not applicable \(n/a\): the history '
                         'has no start and end times')
        self.assertEqual(self.count('#plots figure'), 2)
        ticks = self.browser.js("return [...document.querySelectorAll('#plots .tick text')].map("
                                "(text) => [text.textContent, text.getBoundingClientRect().height])")
        self.assertTrue(all(text.isdigit() and high > 10 for text, high in ticks), ticks)
        heads = self.browser.js(
            "return [...document.querySelectorAll('#table th')].map((head) => head.textContent)")
        self.assertEqual(heads, ['Transaction', 'Status', 'Operations'])
        self.browser.click('#table .open-txn')
        self.assertTrue(self.shown('#table .opened'))
        self.assertLessEqual(self.browser.js('return document.documentElement.scrollWidth'), 400)
        self.browser.type('n', 'g', 'a', 't')
        self.close(path)

    # Goal: a limit that ended the loading is told, and nothing is said of an empty history.
    def test_not_loaded(self):
        path, data, _ = self.open(self.generate('large.isb', 30000), '--timeout', '0.000001')
        self.assertFalse(data['loaded'])
        self.assertIn('was not loaded', self.text('#verdict'))
        self.assertIn('Nothing was decided: ', self.text('#summary'))
        for section in ('#story', '#measures', '#transactions'):
            self.assertFalse(self.shown(section))
        self.close(path)

    def written(self, name, lines):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(''.join(json.dumps(line) + '\n' for line in lines))
        return path

    def generate(self, name, txns):
        path = os.path.join(self.folder, name)
        subprocess.run([ISOLDE, 'gen', '--workload', 'lost-update', '--isolation',
                        'snapshot-isolation', '--fault', 'lost-update', '--fault-rate', '0.05',
                        '--sessions', '12', '--keys', '50', '--seed', '5', '--txns', str(txns),
                        '--abort-rate', '0.05', '--force', '--out', path], check=True, capture_output=True)
        return path

    # Goal: a thousand transactions, all in the picture.
    def test_thousand_transactions(self):
        path, data, _ = self.open(self.generate('thousand.jsonl', 1000))
        self.assertGreater(len(data['txns']), 1000)
        self.assertEqual(self.text('#left-out'), '')
        self.browser.type('a')
        self.assertEqual(self.count('#lanes .txn'), len(data['txns']))
        self.assertEqual(self.count('#lanes .lane-name'), 12)
        self.assertEqual(self.count('#plots figure'), 4)
        self.assertEqual(self.count('#plots .mark'), 4)
        self.shot('thousand')
        self.browser.type('t', '-', '-')
        self.shot('thousand-time')
        self.close(path)

    # Goal: of a larger history a window around the violation, and a word about the rest.
    def test_large_history(self):
        path, data, _ = self.open(self.generate('large.isb', 30000))
        self.assertEqual(len(data['txns']), 1000)
        self.assertLess(os.path.getsize(path), 3 << 20)
        self.assertIn('too many for one page', self.text('#left-out'))
        self.assertGreaterEqual(self.count('#lanes .txn.cast'), 2)
        whole = sum(sum(each[:3]) for each in data['measures']['intervals'])
        self.assertEqual(whole, data['counts']['transactions'])
        self.shot('large')
        self.close(path)

    # Goal: of a violation of very many transactions the first ones, and a word about the rest.
    def test_long_circle(self):
        history = os.path.join(self.folder, 'circle.jsonl')
        with open(history, 'w', encoding='utf-8') as file:
            file.write('{"isolde":1,"kind":"history"}\n')
            for i in range(3000):
                ops = [['r', f'k{i}', None], ['w', f'k{(i + 1) % 3000}', i]]
                file.write(json.dumps({'session': f's{i}', 'ops': ops}) + '\n')
        path, data, _ = self.open(history, '--level', 'serializable')
        self.assertEqual(len(data['stories'][0]['txns']), 200)
        self.assertEqual(self.count('#argument li'), 199)
        self.assertIn('2800 more transactions', self.text('#caption'))
        self.assertIn('2801 arrows left out', self.text('#conclusion'))
        self.shot('circle')
        self.browser.type('g')
        self.assertEqual(self.count('#graph .node'), 201)
        self.assertIn('2800 more transactions', self.text('#graph'))
        self.shot('circle-graph')
        self.browser.type('g')
        self.assertIn('The beginning of', self.text('#caption'))
        self.close(path)

    # Goal: two histories beside each other: what differs is told and marked, nothing is wider than
    # the window, and what is the same everywhere can be shown.
    def test_comparison(self):
        page = os.path.join(self.folder, 'both.html')
        other = os.path.join(ROOT, 'demo', 'pg-serializable.jsonl')
        subprocess.run([ISOLDE, 'compare', '--no-progress', '--html', page, DEMO, other],
                       capture_output=True, check=True)
        browser = self.browser
        browser.leave()
        browser.open(page)
        data = browser.js('return data')
        self.assertEqual(self.text('#difference'), data['difference'])
        self.assertEqual(self.count('#sides article'), 2)
        for name, kind in (('anomaly', 'anomalies'), ('rate', 'rates'), ('level', 'levels')):
            self.assertEqual(self.count(f'#{name}-table tbody tr'), len(data[kind]))
        self.assertTrue(any(a['presence'] == ['occurs', 'not seen'] for a in data['anomalies']))
        different = sum(level['differs'] for level in data['levels'])
        self.assertTrue(0 < different < len(data['levels']))
        self.assertEqual(self.count('#level-table .differs'), different)
        shown = ('return [...document.querySelectorAll("#level-table tbody tr")]'
                 '.filter((row) => row.getClientRects().length > 0).length')
        self.assertEqual(browser.js(shown), different)
        self.assertIn(f"the same at {len(data['levels']) - different}", self.text('#same'))
        self.assertEqual(browser.js('return byId("story-sides").lastChild.querySelector("li").textContent'),
                         'no level is violated')
        self.assertIn('Violates parallel-snapshot-isolation', self.text('#story-sides'))
        for width in (1280, 400):
            browser.resize(width, 800)
            self.assertLessEqual(
                browser.js('return document.documentElement.scrollWidth'), width)
            # The difference and both verdicts are on the first screen; what stands in cells has
            # room there, apart from the cell beside it.
            self.assertLessEqual(browser.js('return byId("difference").getBoundingClientRect().bottom'), 400)
            self.assertEqual(browser.js("""
              const told = [...document.querySelectorAll('table.compared tr')].flatMap((row) => {
                const parts = [...row.children].filter((cell) => cell.textContent !== '')
                  .map((cell) => {
                    const range = document.createRange();
                    range.selectNodeContents(cell);
                    return [cell.textContent, range.getBoundingClientRect()];
                  }).filter(([, {width}]) => width > 0);
                return parts.filter(([, own], at) => own.right > innerWidth ||
                  (at > 0 && own.left < parts[at - 1][1].right + 5)).map(([text]) => text);
              });
              return told"""), [], width)
            # No number is apart from its unit.
            self.assertEqual(browser.js("""
              return [...document.querySelectorAll('#rate-table td')].filter((cell) => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return new Set([...range.getClientRects()].map(({top}) => top)).size > 1;
              }).map((cell) => cell.textContent)"""), [], width)
            for theme in ('light', 'dark'):
                self.assertEqual(
                    browser.js('return document.documentElement.dataset.theme'), theme)
                self.shot(f'comparison-{width}-{theme}')
                browser.type('d')
        browser.click('#only-different')
        self.assertEqual(browser.js(shown), len(data['levels']))
        self.close(page)

    # Goal: a survey's table has a cell for each setting and scenario, which leads to what was
    # played; nothing but the table is wider than the window, and on a desk not even the table.
    def test_survey(self):
        page = os.path.join(self.folder, 'survey.html')
        adapter = os.path.join(ROOT, 'test', 'support', 'adapter.py')
        subprocess.run([ISOLDE, 'survey', '--no-progress', '--load', '0', '--html', page, '--db',
                        f'exec:{sys.executable} {adapter}'], capture_output=True, check=False)
        browser = self.browser
        browser.leave()
        browser.open(page)
        data = browser.js('return data')
        self.assertEqual(self.text('#title'), data['version'])
        self.assertEqual(self.count('#cells tbody tr'), len(data['scenarios']))
        cells = len(data['settings']) * len(data['scenarios'])
        self.assertEqual(self.count('#cells td a'), cells)
        self.assertEqual(self.count('details.cell'), cells)
        self.assertEqual(self.count('#scenario-list article'), len(data['scenarios']))
        self.assertEqual(self.count('.broken'), 1)
        self.assertEqual(self.count('details.cell[open]'), 0)
        p4 = [each['column'] for each in data['scenarios']].index('P4')
        last = len(data['settings'])
        browser.click(f'#cells tbody tr:nth-of-type({p4 + 1}) td:nth-of-type({last}) a')
        self.assertEqual(self.count('details.cell[open]'), 1)
        self.assertIn(data['settings'][-1]['cells'][p4]['how'].split(' (')[0].split(': ')[1],
                      self.text('details.cell[open]'))
        self.assertIn('A  commit', self.text('details.cell[open] pre'))
        for width in (1280, 400):
            browser.resize(width, 800)
            self.assertLessEqual(
                browser.js('return document.documentElement.scrollWidth'), width)
            # What each row is about is there, in sight, and broken between words, if at all.
            self.assertEqual(browser.js("""
              const range = document.createRange();
              const wide = document.querySelector('.wide').getBoundingClientRect();
              const told = [...document.querySelectorAll('#cells td.caption, #cells .what')]
                .filter((cell) => cell.getClientRects().length > 0);
              return told.filter((cell) => {
                range.selectNodeContents(cell);
                const lines = new Set([...range.getClientRects()].map(({top}) => Math.round(top)));
                return lines.size > cell.textContent.split(/[ -]/).length ||
                  range.getBoundingClientRect().right > wide.right;
              }).map((cell) => cell.textContent).concat(told.length)"""), [len(data['scenarios'])])
            if width == 1280:
                self.assertTrue(browser.js(
                    "const wide = document.querySelector('.wide');"
                    'return wide.scrollWidth <= wide.clientWidth'))
            for theme in ('light', 'dark'):
                self.shot(f'survey-{width}-{theme}')
                browser.type('d')
        self.close(page)

    # Goal: --pages makes an index whose cells lead to pages of their own, each of which shows
    # what was played and leads back, and to its neighbours and its history. Method: by clicks.
    def test_survey_pages(self):
        folder = os.path.join(self.folder, 'pages')
        adapter = os.path.join(ROOT, 'test', 'support', 'adapter.py')
        subprocess.run([ISOLDE, 'survey', '--no-progress', '--load', '0', '--pages', folder, '--db',
                        f'exec:{sys.executable} {adapter}'], capture_output=True, check=False)
        browser = self.browser
        browser.leave()
        index = os.path.join(folder, 'index.html')
        browser.open(index)
        data = browser.js('return data')
        self.assertEqual(self.count('details.cell'), 0)
        names = [cell['page'] for setting in data['settings'] for cell in setting['cells']]
        self.assertEqual(len(set(names)), len(data['settings']) * len(data['scenarios']))
        made = {os.path.relpath(path, folder)
                for path in glob.glob(os.path.join(folder, '*', '*.html'))}
        self.assertEqual(made, set(names))
        p4 = [each['column'] for each in data['scenarios']].index('P4')
        last = len(data['settings'])
        browser.click(f'#cells tbody tr:nth-of-type({p4 + 1}) td:nth-of-type({last}) a')
        self.assertEqual(self.text('#title'), 'P4 at ' + data['settings'][-1]['isolation'])
        self.assertEqual(self.count('details.cell[open]'), 1)
        self.assertIn('A  commit', self.text('details.cell[open] pre'))
        self.assertEqual(self.count('#scenario-list article'), 1)
        links = browser.js(
            "return [...document.querySelectorAll('main a[href]')].map((a) => a.href)")
        # The index, the cells before and behind, the other settings, history, steps and the proofs
        # of two levels: that which forbids the anomaly, and the promised one.
        self.assertEqual(len(links), 3 + len(data['settings']) - 1 + 2 + 2)
        for link in links:
            self.assertTrue(os.path.isfile(link.removeprefix('file://')), link)
        for width in (1280, 400):
            browser.resize(width, 800)
            self.assertLessEqual(
                browser.js('return document.documentElement.scrollWidth'), width)
            self.shot(f'survey-cell-{width}')
        browser.click('.ways a')
        self.assertEqual(self.text('#title'), data['version'])
        self.shot('survey-index')
        self.assertEqual(browser.console(), [])


def main(argv):
    global ISOLDE, SCREENSHOTS
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 3
    if webdriver.missing():
        print(f'skipped: {webdriver.missing()} not installed')
        return 77
    ISOLDE = os.path.abspath(argv[1])
    if len(argv) > 2 and not argv[2].startswith('-'):
        folder = os.path.abspath(argv.pop(2))
        if FULL:
            SCREENSHOTS = folder
            os.makedirs(SCREENSHOTS, exist_ok=True)
    result = unittest.main(argv=[argv[0], *argv[2:]], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv))
