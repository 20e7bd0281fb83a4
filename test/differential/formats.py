"""The formats of other tools: for each the module that reads it and makes files of it.

A module has `read(files)`, which takes a list of (path, bytes), and `make(rng, size)`, which returns
such a list of about `size` bytes.
"""
import dataclasses
import types

import awdit
import cobra
import dbcop
import dbcop_hist
import dbcop_json
import elle_json
import jepsen
import plume
import porcupine
import porcupine_kv
import vbox
import viper


@dataclasses.dataclass
class Format:
    name: str  # as in `isolde check --format`
    module: types.ModuleType
    corpus: tuple  # what the manifest of the published histories calls it
    seeds: str  # its folder below test/fuzz/corpus/
    folder: str = None  # how its files are called where it is a folder: the seeds have no names


FORMATS = [
    Format('dbcop', dbcop, ('dbcop',), 'dbcop_bincode'),
    Format('dbcop-json', dbcop_json, (), 'dbcop_json'),
    Format('dbcop-hist', dbcop_hist, (), 'dbcop_hist'),
    Format('plume', plume, ('plume-text', 'polysi-text'), 'plume'),
    Format('awdit', awdit, ('awdit',), 'awdit'),
    Format('viper', viper, ('viper',), 'viper', 'J{}.log'),
    Format('cobra', cobra, ('cobra',), 'cobra', 'T{}.log'),
    Format('jepsen', jepsen, ('elle', 'jepsen-edn'), 'jepsen_edn'),
    Format('elle-json', elle_json, (), 'elle_json'),
    Format('porcupine', porcupine, ('porcupine-etcd',), 'porcupine'),
    Format('porcupine-kv', porcupine_kv, ('porcupine-kv',), 'porcupine_kv'),
    Format('vbox', vbox, ('vbox',), 'vbox', '{}.log'),
]
BY_NAME = {one.name: one for one in FORMATS}
BY_CORPUS = {name: one for one in FORMATS for name in one.corpus}
