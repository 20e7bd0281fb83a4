"""Builds the package. Its version is that of the library, include/isolde/version.h.

With ISOLDE_LIBRARY=PATH the shared library at PATH goes into the wheel, which then needs no
installed Isolde; without it the wheel loads the library that the system has.
"""

import ctypes
import os
import re
import shutil

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.environ.get('ISOLDE_LIBRARY')


def version():
    """From the header; in an unpacked sdist, which has none, from its PKG-INFO; or the library's."""
    sources = ((os.path.join(HERE, '..', 'include', 'isolde', 'version.h'),
                r'#define ISOLDE_VERSION "(.*)"'),
               (os.path.join(HERE, 'PKG-INFO'), r'(?m)^Version: (.*)$'))
    for path, pattern in sources:
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                return re.search(pattern, file.read()).group(1)
    if not LIBRARY:
        raise SystemExit('outside of the source tree, name the library: ISOLDE_LIBRARY=PATH')
    function = ctypes.CDLL(LIBRARY).isolde_version
    function.restype = ctypes.c_char_p
    return function().decode()


class BuildWithLibrary(build_py):
    """Copies the shared library beside the modules."""

    def run(self):
        super().run()
        if LIBRARY:
            target = os.path.join(self.build_lib, 'isolde', 'libisolde.so')
            self.mkpath(os.path.dirname(target))
            shutil.copyfile(os.path.realpath(LIBRARY), target)


class ForOnePlatform(Distribution):
    """A wheel with the library is for one kind of machine."""

    def has_ext_modules(self):
        return bool(LIBRARY)


setup(version=version(), cmdclass={'build_py': BuildWithLibrary}, distclass=ForOnePlatform)
