#!/usr/bin/env python3
"""The page of a watch as a browser shows it, while the watch goes on.

    watch_test.py ISOLDE [SCREENSHOTS]

A history grows, with a fault and a violation in it; headless Chromium looks on. With ISOLDE_FULL=1 pictures
of the page are left in the folder SCREENSHOTS. Exit code 77: there is no browser, or no HTTP in this build.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import webdriver

WAIT_S = 90


def chips(page):
    return page.js("return [byId('connection').textContent, byId('verdict').textContent]")


class Page(unittest.TestCase):
    isolde = ''
    pictures = ''

    def until(self, page, script, what):
        """Waits until the script's value satisfies the function."""
        deadline = time.monotonic() + WAIT_S
        while not what(found := page.js(script)):
            self.assertLess(time.monotonic(), deadline, (script, found))
            time.sleep(0.1)
        return found

    def shoot(self, page, name):
        for width in (1280, 400):
            page.resize(width, 800)
            page.frame()
            self.assertEqual(page.js('return document.documentElement.scrollWidth'), width)
            if self.pictures:
                page.screenshot(os.path.join(self.pictures, f'watch-{name}-{width}.png'), whole=True)
        page.resize(1280, 800)

    def test_watch(self):
        with tempfile.TemporaryDirectory() as folder:
            whole, grows = os.path.join(folder, 'whole'), os.path.join(folder, '<b>grows.isob')
            subprocess.run([self.isolde, 'gen', '--workload', 'blindw-rw', '--txns', '300000', '--sessions', '24',
                            '--seed', '9', '--fault', 'stale-read', '--fault-after', '0.7', '--to',
                            'native-binary', '--out', whole], check=True)
            with open(whole, 'rb') as file:
                content = file.read()
            with open(grows, 'wb', buffering=0) as out, webdriver.Browser(folder) as page, \
                    subprocess.Popen([self.isolde, 'watch', '--follow', '--listen', '0', '--linger', '5m', grows],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as watch:
                try:
                    self.look(page, watch, out, content)
                finally:
                    watch.kill()

    def look(self, page, watch, out, content):
        url = re.search(r'http://\S+', watch.stderr.readline()).group()
        page.leave()
        page.call('POST', '/url', {'url': url})
        self.until(page, "return byId('connection').textContent", lambda text: text == 'live')
        self.assertEqual(chips(page), ['live', '? unknown'])
        self.assertIn('Nothing is settled yet', page.js("return byId('reason').textContent"))
        # It renews itself.
        out.write(content[:len(content) // 2])
        self.until(page, "return byId('verdict').textContent", lambda text: text == '\u2713 holds')
        count = "return byId('counts').querySelector('dd').textContent"
        self.assertEqual(page.js(count), '131,072')
        points = "return document.querySelector('.line.memory').getAttribute('d').split('L').length"
        before = page.js(points)
        self.until(page, points, lambda number: number >= before + 3)
        self.assertTrue(page.js("return byId('violation').hidden"))
        self.assertNotEqual(page.js("return byId('now-rate').textContent"), '0/s')
        self.assertIn('<b>grows.isob', page.js("return byId('title').textContent"))
        self.assertEqual(page.js("return document.querySelectorAll('.live svg').length"), 3)
        self.shoot(page, 'live')
        # What a person hears.
        self.assertRegex(page.js("return document.querySelector('.live svg').getAttribute('aria-label')"),
                         r'^Transactions read a second: now [\d.,]+/s$')
        page.type('d')
        theme = page.js('return document.documentElement.dataset.theme')
        page.type('d')
        self.assertNotEqual(theme, page.js('return document.documentElement.dataset.theme'))
        out.write(content[len(content) // 2:])
        self.until(page, "return byId('connection').textContent", lambda text: text == 'ended')
        self.assertEqual(chips(page), ['ended', '\u2717 violated'])
        self.assertFalse(page.js("return byId('violation').hidden"))
        self.assertIn('did not see', page.js("return byId('violation-text').textContent"))
        self.assertIn('violation', page.js("return byId('marks').textContent"))
        self.assertTrue(page.js("return byId('no-marks').hidden"))
        self.assertEqual(page.js("return document.querySelectorAll('.mark.violation').length"), 3)
        self.shoot(page, 'violated')
        page.prefer('dark')
        self.shoot(page, 'dark')
        # Opened anew it shows what was.
        page.call('POST', '/url', {'url': url})
        self.assertGreater(page.js(points), 3)
        asked = {address for address in page.requests() if address.startswith('http')}
        self.assertEqual(asked, {url, url + 'events'})
        # The whole report, as check makes it.
        page.click('#violation-page')
        self.until(page, 'return location.pathname', lambda path: path == '/violation')
        self.assertIn('strict-serializable', page.js('return document.body.textContent'))
        self.assertEqual(page.console(), [])
        # The server is gone.
        page.call('POST', '/url', {'url': url})
        watch.send_signal(signal.SIGINT)
        self.assertEqual(watch.wait(WAIT_S), 1)
        self.until(page, 'return state.lost', bool)
        self.assertEqual(chips(page), ['ended', '\u2717 violated'])


def main():
    Page.isolde = os.path.abspath(sys.argv[1])
    Page.pictures = sys.argv[2] if len(sys.argv) > 2 and os.environ.get('ISOLDE_FULL') == '1' else ''
    version = subprocess.run([Page.isolde, '--version'], capture_output=True, text=True, check=True).stdout
    lacks = webdriver.missing() or ('HTTP' if 'watch --listen' in version else '')
    if lacks:
        print(f'skipped: there is no {lacks}')
        return 77
    if Page.pictures:
        os.makedirs(Page.pictures, exist_ok=True)
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
