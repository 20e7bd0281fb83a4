"""A browser under remote control, by the WebDriver protocol (plain JSON over HTTP) and without
further packages: headless Chromium through chromedriver."""
import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
KEYS = {'Escape': '\ue00c', 'Tab': '\ue004', 'Enter': '\ue007', 'ArrowLeft': '\ue012',
        'ArrowUp': '\ue013', 'ArrowRight': '\ue014', 'ArrowDown': '\ue015'}


def missing():
    """What is not installed, or nothing."""
    return ' and '.join(name for name in ('chromium', 'chromedriver') if not shutil.which(name))


class Browser:
    """Use it as a context: the browser ends with it."""

    def __init__(self, folder, width=1280, height=900):
        self.folder = folder
        self.size = (width, height)
        self.session = None

    def __enter__(self):
        self.log = open(f'{self.folder}/chromedriver.log', 'w+', encoding='utf-8')
        self.driver = subprocess.Popen(['chromedriver', '--port=0'], stdout=self.log,
                                       stderr=subprocess.STDOUT)
        self.url = f'http://127.0.0.1:{self.port()}'
        options = {'binary': shutil.which('chromium'),
                   'args': ['--headless=new', '--no-sandbox', '--disable-gpu',
                            '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
                            '--force-device-scale-factor=1',
                            f'--user-data-dir={self.folder}/profile',
                            '--window-size={},{}'.format(*self.size)]}
        wanted = {'browserName': 'chrome', 'goog:chromeOptions': options,
                  'timeouts': {'script': 100_000},  # of a machine that has no time for it
                  'goog:loggingPrefs': {'browser': 'ALL', 'performance': 'ALL'}}
        made = self.call('POST', '/session', {'capabilities': {'alwaysMatch': wanted}})
        self.session = made['sessionId']
        return self

    def __exit__(self, *_):
        if self.session:
            self.call('DELETE', '')
        self.driver.terminate()
        self.driver.wait()
        self.log.close()

    def port(self):
        """chromedriver prints the port that it took."""
        for _ in range(300):
            self.log.seek(0)
            for line in self.log:
                if 'started successfully on port' in line:
                    return int(line.split('port')[1].strip(' .\n'))
            if self.driver.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError('chromedriver did not start')

    def call(self, method, path, body=None):
        if self.session:
            path = f'/session/{self.session}{path}'
        data = json.dumps(body or {}).encode() if method == 'POST' else None
        headers = {'Content-Type': 'application/json'}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)['value']
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()[:600]) from error

    def open(self, path):
        self.call('POST', '/url', {'url': f'file://{path}'})
        self.frame()  # Chromium drops keys that come before a page's first one

    def leave(self):
        """What the last page still says belongs to no other one."""
        self.call('POST', '/url', {'url': 'file:///dev/null'})
        self.console()
        self.requests()

    def frame(self):
        """Waits until the page has been drawn."""
        script = '''const done = arguments[0];
                    requestAnimationFrame(() => requestAnimationFrame(() => done()));'''
        self.call('POST', '/execute/async', {'script': script, 'args': []})

    def js(self, script, *arguments):
        """The value of the script, a function body."""
        return self.call('POST', '/execute/sync', {'script': script, 'args': list(arguments)})

    def element(self, css):
        return self.call('POST', '/element', {'using': 'css selector', 'value': css})[ELEMENT]

    def click(self, css):
        self.call('POST', f'/element/{self.element(css)}/click')

    def type(self, *keys):
        """To whatever has the focus; names of KEYS or characters."""
        events = []
        for key in keys:
            value = KEYS.get(key, key)
            events += [{'type': 'keyDown', 'value': value}, {'type': 'keyUp', 'value': value}]
        self.call('POST', '/actions',
                  {'actions': [{'type': 'key', 'id': 'keyboard', 'actions': events}]})

    def hover(self, css):
        origin = {ELEMENT: self.element(css)}
        move = {'type': 'pointerMove', 'duration': 0, 'x': 0, 'y': 0, 'origin': origin}
        self.call('POST', '/actions',
                  {'actions': [{'type': 'pointer', 'id': 'mouse', 'actions': [move]}]})

    def devtools(self, command, **parameters):
        return self.call('POST', '/goog/cdp/execute', {'cmd': command, 'params': parameters})

    def resize(self, width, height):
        self.devtools('Emulation.setDeviceMetricsOverride', width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def touch(self, on):
        """Whether the screen is one to touch, and there is no mouse; for pages opened from now on."""
        self.devtools('Emulation.setTouchEmulationEnabled', enabled=on, maxTouchPoints=5 if on else 1)

    def fingers(self, begin, end, steps=8):
        """Fingers go down at some points, and move to others."""
        for step in range(steps + 1):
            points = [{'x': x0 + (x1 - x0) * step / steps, 'y': y0 + (y1 - y0) * step / steps, 'id': i}
                      for i, ((x0, y0), (x1, y1)) in enumerate(zip(begin, end))]
            self.devtools('Input.dispatchTouchEvent', type='touchMove' if step else 'touchStart',
                          touchPoints=points)
        self.devtools('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        self.frame()

    def prefer(self, theme):
        # Without motion: what is scrolled to is there at once.
        self.devtools('Emulation.setEmulatedMedia',
                      features=[{'name': 'prefers-color-scheme', 'value': theme},
                                {'name': 'prefers-reduced-motion', 'value': 'reduce'}])

    def console(self):
        """What was written to the console since the last call: errors, refused requests."""
        return [entry['message'] for entry in self.call('POST', '/se/log', {'type': 'browser'})]

    def requests(self):
        """Addresses that the page asked for since the last call."""
        found = []
        for entry in self.call('POST', '/se/log', {'type': 'performance'}):
            message = json.loads(entry['message'])['message']
            if message['method'] == 'Network.requestWillBeSent':
                found.append(message['params']['request']['url'])
        return found

    def screenshot(self, path, whole=False):
        """Of the window, or of the whole page."""
        extra = {}
        if whole:
            size = self.js('const root = document.documentElement;'
                           'return [root.clientWidth, root.scrollHeight]')
            extra = {'captureBeyondViewport': True,
                     'clip': {'x': 0, 'y': 0, 'width': size[0], 'height': size[1], 'scale': 1}}
        shot = self.devtools('Page.captureScreenshot', format='png', **extra)
        with open(path, 'wb') as file:
            file.write(base64.b64decode(shot['data']))
