"""The documentation as a site: `./dev docs`. Sphinx reads the pages where they are, from the root
of the tree, so that links mean the same here and in a checkout."""
import os
import re
import shutil

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

NAVIGATION = {
    'Start': ['docs/tutorial', 'docs/engine', 'docs/ci', 'docs/jepsen'],
    'Histories': ['docs/recording', 'docs/applications', 'docs/watching', 'docs/library', 'demo/README', 'docs/formats/native',
                  'docs/formats/native-binary', 'docs/formats/foreign'],
    'Databases': ['docs/running', 'docs/survey', 'docs/databases', 'docs/servers', 'docs/workloads',
                  'docs/adapters', 'recipes/README'],
    'Results': ['docs/explanations', 'docs/ANOMALIES', 'docs/outputs', 'docs/formats/certificate',
                'docs/formats/segments', 'docs/formats/archive'],
    'Reference': ['docs/CLI', 'docs/LEVELS', 'CHANGELOG', 'SECURITY'],
    'Findings': ['docs/findings/README', 'docs/findings/*'],
    'How it works': ['docs/ARCHITECTURE', 'docs/ALGORITHMS', 'docs/BENCHMARKS', 'docs/TESTING',
                     'docs/design/*', 'CONTRIBUTING'],
}

project = 'Isolde'
root_doc = 'README'
extensions = ['myst_parser', 'sphinx.ext.graphviz']
include_patterns = ['*.md', 'docs/**.md', 'demo/*.md', 'recipes/*.md']
exclude_patterns = ['build', 'docs/*.intro.md']
myst_heading_anchors = 6
highlight_language = 'text'
graphviz_output_format = 'svg'
html_theme = 'furo'
html_title = 'Isolde'
# Debian's build of the theme lacks these.
html_theme_options = {'dark_css_variables': {f'color-{name}': value for name, value in {
    'problematic': '#ee5151', 'foreground-primary': '#ffffffcc', 'foreground-secondary': '#9ca0a5',
    'foreground-muted': '#81868d', 'foreground-border': '#666666', 'background-primary': '#131416',
    'background-secondary': '#1a1c1e', 'background-hover': '#1e2124ff',
    'background-hover--transparent': '#1e212400', 'background-border': '#303335',
    'background-item': '#444', 'brand-primary': '#2b8cee', 'brand-content': '#4f9fe9',
    'highlighted-background': '#083563', 'highlight-on-target': '#333300',
    'admonition-background': '#18181a', 'card-background': '#18181a'}.items()}}
# Debian's theme imports the first one by an address of a web server.
html_static_path = ['/usr/share/javascript/normalize.css/normalize.css', 'site.css']
html_css_files = [('normalize.css', {'priority': 100}), 'site.css']
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_use_index = False  # of what is documented in code, which is nothing
# It fetches the pages that were found, which no page that is opened as a file can.
html_show_search_summary = False


def prepare(_, page, source):
    """The navigation below the start page; titles of pages for names of files as texts of links;
    graphs in the language that this machine can draw."""
    if page == root_doc:
        for caption, pages in NAVIGATION.items():
            source[0] += '\n'.join(['\n```{toctree}', ':hidden:', ':glob:', f':caption: {caption}', '', *pages,
                                    '```', ''])
    source[0] = re.sub(r'\[[\w./-]+[.]md\](?=\()', '[]', source[0])
    source[0] = re.sub(r'^```mermaid\ngraph TD\n(.*?)^```$', graphviz, source[0], flags=re.M | re.S)


def graphviz(mermaid):
    edges = re.sub(r'(\S+) --> (\S+)', r'"\1" -> "\2"', mermaid.group(1))
    return '```{graphviz}\ndigraph {\nnode [shape=box, style=rounded, fontname="sans-serif"]\n' + edges + '}\n```'


def start_page(app, error):
    if not error:
        shutil.copy(os.path.join(app.outdir, root_doc + '.html'),
                    os.path.join(app.outdir, 'index.html'))


def repair_theme(app, error):
    """Debian's theme has a script that imports another one, which no page that is opened as a file
    can, and an import of a style by an address of a web server."""
    if error:
        return
    static = os.path.join(app.outdir, '_static')
    with open(os.path.join(static, 'scripts', 'gumshoe-patched.js'), encoding='utf-8') as file:
        imported = file.read()
    for path, pattern, replacement in (
            ('scripts/furo.js', r'\Aimport Gumshoe from "./gumshoe-patched[.]js";', imported),
            ('styles/furo.css', r'\A@import url[^;]*;', '')):
        with open(os.path.join(static, path), encoding='utf-8') as file:
            text = file.read()
        with open(os.path.join(static, path), 'w', encoding='utf-8') as file:
            file.write(re.sub(pattern, lambda _, with_it=replacement: with_it, text))


def setup(app):
    app.connect('source-read', prepare)
    app.connect('build-finished', start_page)
    app.connect('build-finished', repair_theme)
