#!/usr/bin/env python3
"""The image that the Dockerfile makes.

    image_test.py      as root; exit code 77: cannot be tried here

It is built by buildah, which needs no daemon, from a Debian made by debootstrap, which needs no registry of
images. Then the program in it is used as README.md says.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEMO = os.path.join(ROOT, 'demo')
with open(os.path.join(ROOT, 'include/isolde/version.h'), encoding='utf-8') as header:
    VERSION = re.search(r'ISOLDE_VERSION "(.*)"', header.read()).group(1)
with open(os.path.join(ROOT, 'Dockerfile'), encoding='utf-8') as dockerfile:
    BASES = sorted(set(re.findall(r'^FROM (\S+)', dockerfile.read(), re.M)))


def run(command, code=0):
    """Its output, both streams together."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    assert done.returncode == code, f'{command}: exit code {done.returncode}\n{done.stdout[-8000:]}'
    return done.stdout


def mirror():
    """Where this machine has its own Debian from."""
    rows = run(['apt-get', 'indextargets', '--format', '$(SITE) $(RELEASE)',
                'Created-By: Packages']).splitlines()
    return next(row.split()[0] for row in rows if row.split()[1:] == ['bookworm'])


class Images:
    """A store of images in a folder."""

    def __init__(self, folder):
        self.options = ['--storage-driver', 'vfs', '--root', os.path.join(folder, 'images'),
                        '--runroot', os.path.join(folder, 'running')]

    def call(self, command, *arguments, code=0):
        return run(['buildah', command, *self.options, *arguments], code)

    def add_debian(self, folder):
        """Under all names that the Dockerfile has for it."""
        run(['debootstrap', '--variant=minbase', 'bookworm', folder, mirror()])
        empty = self.call('from', 'scratch').strip()
        self.call('copy', '--quiet', empty, folder, '/')
        for name in BASES:
            self.call('commit', '--quiet', empty, f'docker.io/library/{name}')
        self.call('rm', empty)
        shutil.rmtree(folder)

    def build(self):
        self.call('build', '--isolation', 'chroot', '--pull-never', '--tag', 'isolde', ROOT)
        self.image = json.loads(self.call('inspect', '--type', 'image', 'isolde'))['OCIv1']['config']
        self.container = self.call('from', '--pull-never', 'isolde').strip().splitlines()[-1]

    def run(self, *arguments, code=0, entrypoint=None):
        """As `docker run --user 4711 -v demo:/data isolde` with these arguments."""
        if entrypoint is None:
            entrypoint = self.image['Entrypoint']
        return self.call('run', '--isolation', 'chroot', '--user', '4711', '--volume', f'{DEMO}:/data:ro',
                         self.container, '--', *entrypoint, *arguments, code=code)


def use(images):
    assert images.image['Entrypoint'] == ['isolde'], images.image
    assert (images.image['User'], images.image['WorkingDir']) == ('nobody', '/data'), images.image
    shown = images.run('--version')
    assert shown.startswith(f'isolde {VERSION}\n') and 'absent' not in shown, shown
    shown = images.run('check', '--level', 'serializable', 'pg-repeatable-read-write-skew.jsonl', code=1)
    assert 'a contradiction' in shown, shown
    shown = images.run('run', '--db', 'sqlite:', '--workload', 'mini', '--txns', '50', '--no-record')
    assert '50 transactions committed' in shown, shown
    # What built it has stayed behind.
    left = images.run('-c', 'ls /isolde /packages; command -v g++ cmake; ls /var/lib/apt/lists', code=0,
                      entrypoint=['sh'])
    assert re.sub(r"ls: cannot access '/\w+': No such file or directory\n", '', left) == '', left


def main():
    if os.geteuid() != 0 or not all(map(shutil.which, ('buildah', 'debootstrap'))):
        print('this needs root, buildah and debootstrap')
        sys.exit(SKIP)
    with tempfile.TemporaryDirectory(dir='/var/tmp') as folder:
        images = Images(folder)
        images.add_debian(os.path.join(folder, 'debian'))
        images.build()
        use(images)


main()
