"""Runs another checker on the same history, in the same run, and shows it beside ours."""
import dataclasses
import pathlib
import shlex
import shutil
import subprocess
import sys

import measure
import peer_formats
import recipes as r


@dataclasses.dataclass(frozen=True)
class Kind:
    """A checker that we know: its format, its arguments, and its names for our levels."""
    format: str
    arguments: str
    levels: dict


# Names of others stand at the level of ours that they mean. The arguments are those of the tools'
# own instructions, but none of these tools has been run by us: arguments behind the path replace
# them.
KINDS = {
    'awdit': Kind('plume', 'check -i {level} {history}',
                  {r.SSMAV: 'read-committed', r.RA: 'read-atomic', r.TCC: 'causal'}),
    'plume': Kind('plume', '-i {level} {history}', {r.SSMAV: 'RC', r.RA: 'RA', r.TCC: 'TCC'}),
    'polysi': Kind('polysi', 'audit --type=text {history}', {r.SI: 'si'}),
    'mtc-si': Kind('polysi', 'auditMini -t=text {history}', {r.SI: 'si'}),
    'mtc-ser': Kind('polysi', 'auditSER -t=text {history}', {r.SER: 'ser', r.SSSER: 'ser'}),
    'dbcop': Kind('dbcop-json', 'verify --input-dir {history} --consistency {level}',
                  {r.SSMAV: 'committed-read', r.RA: 'atomic-read', r.TCC: 'causal',
                   r.SI: 'snapshot-isolation', r.SER: 'serializable', r.SSSER: 'serializable'}),
    'veristrong': Kind('dbcop',
                       '--isolation-level {level} --history-type dbcop --pruning fast {history}',
                       {r.SI: 'si', r.SER: 'ser', r.SSSER: 'ser'}),
    'cobra': Kind('cobra', 'mono audit cobra.conf {history}', {r.SER: 'ser', r.SSSER: 'ser'}),
    'viper': Kind('viper', '--config_file config.yaml --algo 6 --sub_dir {history} '
                           '--perf_file perf.txt --exp_name {level}', {r.SI: 'si'}),
    'vbox': Kind('vbox', '{history} vbox true true true prune_opt purdom+ italino_opt vboxsat',
                 {r.SER: 'ser'}),
    'elle-cli': Kind('elle-json', '--model {model} --consistency-models {level} {history}',
                     {r.RC: 'read-committed', r.SI: 'snapshot-isolation',
                      r.SER: 'serializable', r.SSER: 'strict-serializable'}),
    'isolde': Kind('native', 'check --no-progress --level {level} {history}',
                   {level: level for level in r.SHORT}),
}

HELP = f"""
--peer NAME[@FORMAT]=PATH[:ARGUMENTS] runs the checker PATH on each history too. NAME is one of
{', '.join(KINDS)}
or anything else, with a FORMAT of {', '.join(peer_formats.WRITERS)}.
In the arguments {{history}}, {{level}} and {{model}} (list-append, rw-register) are filled in; those of the
names above are from the tools' instructions, and untried. PATH may be a program, a .jar (java -jar) or
a .py; it runs in the folder of PATH. What a peer says is shown, its last line and its exit code,
and not judged: many check session order at serializability and snapshot isolation too.
Times are of the whole command, without the conversion of the history. `isolde convert` writes none of these
formats but native; bench/peer_formats.py does. Porcupine and Knossos are libraries without a
program that reads histories, and have no hook; nor have tools that need the database's own times
(Chronos, Aion, Emme), which generated histories do not carry.
"""


@dataclasses.dataclass(frozen=True)
class Peer:
    name: str
    kind: Kind
    path: pathlib.Path

    def command(self, level, history, model):
        arguments = self.kind.arguments.format(level=self.kind.levels.get(level, r.SHORT[level]),
                                               history=history, model=model)
        before = {'.jar': ['java', '-jar'], '.py': [sys.executable]}.get(self.path.suffix, [])
        return [*before, str(self.path), *shlex.split(arguments)]


def parse(text):
    """A peer from the command line. ERRORS: ValueError, with what is wrong."""
    name, equals, rest = text.partition('=')
    name, _, form = name.partition('@')
    path, _, arguments = rest.partition(':')
    if not equals or not name or not path:
        raise ValueError(f'--peer {text}: expected NAME[@FORMAT]=PATH[:ARGUMENTS]')
    known = KINDS.get(name)
    if known is None and (not form or not arguments):
        raise ValueError(f'--peer {text}: {name} is not known; give a format and arguments')
    if form and form not in peer_formats.WRITERS:
        raise ValueError(f'--peer {text}: no format {form}; there are '
                         + ', '.join(peer_formats.WRITERS))
    if not pathlib.Path(path).is_file():
        raise ValueError(f'--peer {text}: no file {path}')
    kind = Kind(form or known.format, arguments or known.arguments, known.levels if known else {})
    return Peer(name, kind, pathlib.Path(path).resolve())


def converted(peer, history, folder):
    """The history in the peer's format. ERRORS: peer_formats.NotWritable.

    Another process does it: what this one has once had in memory counts as the peak of each
    program that it starts."""
    write, ending = peer_formats.WRITERS[peer.kind.format]
    if write is None:
        return history
    path = folder / f'peer-{peer.kind.format}{ending}'
    remove(path)
    done = subprocess.run([sys.executable, peer_formats.__file__, peer.kind.format, history, path],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == peer_formats.NO_ROOM:
        raise peer_formats.NotWritable(done.stdout.strip())
    done.check_returncode()
    return path


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def last_line(output):
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:100] if lines else ''


def measure_peer(peer, case, history, folder, settings):
    """A row for each level that both the case and the peer have, or one that says why not."""
    head = {'peer': peer.name, 'format': peer.kind.format, 'recipe': case.name}
    empty = {'level': '', 'wall s': None, 'CPU s': None, 'peak MB': None, 'exit': '', 'says': '',
             'disturbed': ''}
    levels = [level for level in case.levels
              if not peer.kind.levels or level in peer.kind.levels]
    if not levels:
        yield {**head, **empty, 'says': 'has no such level'}
        return
    try:
        converted_to = converted(peer, history, folder)
    except peer_formats.NotWritable as what:
        yield {**head, **empty, 'says': f'the format has no {what}'}
        return
    model = 'list-append' if 'list-append' in case.options() else 'rw-register'
    for level in levels:
        command = peer.command(level, converted_to, model)
        runs = measure.quiet_runs(
            lambda command=command: measure.run_once(command, settings.peer_timeout,
                                                     peer.path.parent),
            settings.repeat, settings.idle_wait)
        best = min(runs, key=lambda run: run.wall)
        says = f'over {settings.peer_timeout} s' if best.code is None else last_line(best.output)
        yield {**head, 'level': r.SHORT[level], 'wall s': best.wall, 'CPU s': best.cpu,
               'peak MB': max(run.peak for run in runs) / 1e6, 'exit': best.code, 'says': says,
               'disturbed': sum(run.disturbed for run in runs)}
    if converted_to != history:
        remove(converted_to)
