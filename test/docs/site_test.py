#!/usr/bin/env python3
"""The documentation as a site, as `./dev docs` makes it.

    site_test.py      exit code 77: packages are missing

No link is broken, none is let through that is, and the site needs nothing but its own files.
"""
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'test', 'browser'))
import webdriver  # noqa: E402


def make(root, site):
    return subprocess.run([os.path.join(root, 'tools', 'make_site'), site], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


class Page(html.parser.HTMLParser):
    """Its places, what it loads and where it leads."""

    def __init__(self, path):
        super().__init__()
        self.places, self.loads, self.leads = set(), [], []
        with open(path, encoding='utf-8') as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == 'id':
                self.places.add(value)
            elif name in ('src', 'data') or (name == 'href' and tag == 'link'):
                self.loads.append(value)
            elif name == 'href':
                self.leads.append(value)


def check_links(site):
    pages = {os.path.join(folder, name): Page(os.path.join(folder, name))
             for folder, _, names in os.walk(site) for name in names
             if name.endswith('.html') and '/_downloads/' not in folder + '/'}
    assert len(pages) > 30, len(pages)
    for path, page in pages.items():
        for link in page.loads + page.leads:
            parts = urllib.parse.urlsplit(link)
            if link in page.leads and parts.scheme in ('http', 'https'):
                continue
            assert not parts.scheme and not parts.netloc, f'{path} needs {link}'
            target = os.path.normpath(os.path.join(os.path.dirname(path),
                                                   urllib.parse.unquote(parts.path))
                                      if parts.path else path)
            assert os.path.isfile(target), f'{path} leads to {link}'
            if parts.fragment and target in pages:
                assert urllib.parse.unquote(parts.fragment) in pages[target].places, \
                    f'{path} leads to {link}'
    start = pages[os.path.join(site, 'index.html')]
    assert start.leads == pages[os.path.join(site, 'README.html')].leads


def check_styles(site):
    """Nothing in them comes from a server."""
    for folder, _, names in os.walk(os.path.join(site, '_static')):
        for name in names:
            if name.endswith('.css'):
                with open(os.path.join(folder, name), encoding='utf-8') as file:
                    found = set(re.findall(r'url\(["\']?((?:https?:|/)[^)]*)\)', file.read()))
                assert not found, (name, found)
    assert os.path.isfile(os.path.join(site, '_static', 'normalize.css'))


def check_browser(site, folder):
    """Scripts and styles are found, dark and light are as the system prefers, and the button
    switches them. Only where there is a browser."""
    if webdriver.missing():
        return
    colour = ("return getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g)"
              ".slice(0, 3).reduce((sum, each) => sum + Number(each), 0) / 3")
    with webdriver.Browser(folder) as browser:
        for page in ('index.html', 'docs/findings/README.html'):
            for theme, low, high in (('dark', 0, 60), ('light', 200, 256)):
                browser.prefer(theme)
                browser.open(os.path.join(site, page))
                assert browser.console() == [], (page, theme)
                assert low <= browser.js(colour) < high, (page, theme)
            browser.click('.theme-toggle-content button')
            assert browser.js(colour) < 60, page
            browser.js("localStorage.removeItem('theme')")
            for width in (800, 400):
                browser.resize(width, 900)
                browser.open(os.path.join(site, page))
                wide = browser.js('return document.documentElement.scrollWidth')
                assert wide <= width, (page, width, wide)
            browser.resize(1280, 900)
            browser.console()
        check_widths(site, browser)
        check_search(site, browser)


def check_widths(site, browser):
    """On a screen for work no command ends out of sight, no table has a column there, and the
    contents of a page do not stand there either, which at 1280 pixels come on demand. At 1600 the
    theme's letters are larger, and a table may have to be scrolled."""
    script = '''
        const wide = [...document.querySelectorAll('article .table-wrapper, article pre')]
            .filter((each) => each.scrollWidth > each.clientWidth);
        const beside = document.querySelector('.toc-drawer').getBoundingClientRect();
        return [wide.map((each) => each.textContent.slice(0, 60)), beside.right]'''
    for page in ('docs/tutorial.html', 'docs/survey.html', 'demo/README.html', 'docs/CLI.html',
                 'docs/engine.html', 'index.html'):
        browser.open(os.path.join(site, page))
        for width in (1280, 1600, 1664, 1920):
            browser.resize(width, 900)
            hidden, right = browser.js(script)
            assert not hidden or width == 1600, (page, width, hidden)
            assert right <= width or width == 1280, (page, width, right)
    browser.resize(1280, 900)


def check_search(site, browser):
    """It finds pages, and says so, where the site is a folder of files."""
    browser.open(os.path.join(site, 'index.html'))
    browser.click('.sidebar-search')
    browser.type(*'galera', 'Enter')
    found = ("return document.querySelectorAll('.search li a').length > 3 && "
             "/found [0-9]+ page/.test(document.querySelector('#search-results').textContent)")
    deadline = time.monotonic() + 60
    while not browser.js(found):
        assert time.monotonic() < deadline, browser.js('return document.body.innerText')
        time.sleep(0.1)
    assert browser.console() == []


def check_broken(folder):
    """A page with broken links is refused, and each of them is named."""
    root = os.path.join(folder, 'broken')
    for name in ('docs/conf.py', 'docs/site.css', 'tools/make_site'):
        os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, name), os.path.join(root, name))
    with open(os.path.join(root, 'README.md'), 'w', encoding='utf-8') as file:
        file.write('# Here\n\n[this](docs/absent.md), [that](#absent), [right](docs/a.md#right), '
                   '[wrong](docs/a.md#wrong)\n')
    with open(os.path.join(root, 'docs', 'a.md'), 'w', encoding='utf-8') as file:
        file.write('# There\n\n## Right\n')
    done = make(root, os.path.join(folder, 'refused'))
    assert done.returncode != 0
    found = sorted(re.findall(r"reference target not found: (\S+)", done.stdout))
    assert found == ['#absent', 'docs/a.md#wrong', 'docs/absent.md'], done.stdout


def main():
    if not all(map(shutil.which, ('sphinx-build', 'dot'))):
        print('python3-sphinx or graphviz is not installed')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        site = os.path.join(folder, 'site')
        done = make(ROOT, site)
        assert done.returncode == 0, done.stdout
        check_links(site)
        check_styles(site)
        check_browser(site, folder)
        check_broken(folder)


main()
