"""Running a command on a machine that does nothing else, and what the command used.

A run waits until other processes use next to nothing, and is disturbed when they used more than
DISTURBED of a core while it ran (/proc/stat less its own CPU time). Disturbed runs are made
again, up to RETRIES times as often as runs are wanted; what is disturbed then is kept, and counted.
"""
import dataclasses
import os
import pathlib
import subprocess
import tempfile
import time

DISTURBED = 0.06  # of a core
TICKS = 2  # of /proc/stat, that rounding may show without anybody else running
RETRIES = 5


@dataclasses.dataclass
class Run:
    """One run of a command: seconds, bytes, and what it printed."""
    wall: float
    cpu: float
    peak: int  # at least that of this Python, which Linux hands on; isolde reports its own
    others: float  # share of a core that other processes used
    code: int  # None: killed after its time
    output: str
    report: dict = None  # of isolde check --json, by whoever reads the output

    @property
    def disturbed(self):
        return self.others >= DISTURBED


def busy_seconds():
    """CPU seconds that all processes of this machine have used so far."""
    fields = pathlib.Path('/proc/stat').read_text().split('\n', 1)[0].split()[1:9]
    ticks = [int(field) for field in fields]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf('SC_CLK_TCK')


def share_of_others(busy, own, wall):
    """What others used of a core, when `busy` seconds were used in all and `own` by the command."""
    slack = TICKS / os.sysconf('SC_CLK_TCK')
    return max(0.0, busy - own - slack) / max(wall, 0.01)


def wait_until_idle(most_seconds, pause=0.5):
    """Returns when others use little for `pause` seconds; False when that took too long."""
    end = time.monotonic() + most_seconds
    while True:
        busy, own, begin = busy_seconds(), time.process_time(), time.monotonic()
        time.sleep(pause)
        used = busy_seconds() - busy
        share = share_of_others(used, time.process_time() - own, time.monotonic() - begin)
        if share < DISTURBED:
            return True
        if time.monotonic() >= end:
            return False


def run_once(command, timeout=None, folder=None):
    """Runs it and waits; kills it after `timeout` seconds."""
    own = time.process_time()
    with tempfile.TemporaryFile() as printed:
        begin, busy = time.monotonic(), busy_seconds()
        process = subprocess.Popen([str(word) for word in command], stdout=printed,
                                   stderr=subprocess.STDOUT, cwd=folder)
        status, usage, killed = wait_for(process, timeout)
        wall = time.monotonic() - begin
        cpu = usage.ru_utime + usage.ru_stime
        others = share_of_others(busy_seconds() - busy, cpu + time.process_time() - own, wall)
        printed.seek(0)
        output = printed.read().decode('utf-8', 'replace')
    code = None if killed else os.waitstatus_to_exitcode(status)
    return Run(wall, cpu, usage.ru_maxrss * 1024, others, code, output)


def wait_for(process, timeout):
    """Status and use of resources, and whether it had to be killed."""
    killed = False
    if timeout is not None:
        try:
            # Does not reap, so that wait4() tells what was used.
            end = time.monotonic() + timeout
            pause = 0.001
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                if time.monotonic() >= end:
                    process.kill()
                    killed = True
                    break
                time.sleep(pause)
                pause = min(pause * 1.5, 0.1)
        except ChildProcessError:
            pass
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return status, usage, killed


def quiet_runs(run, repeat, idle_wait):
    """`repeat` results of run(), undisturbed ones if enough can be had. After `idle_wait` seconds of
    waiting, all runs together, takes what comes; 0: at once."""
    quiet, disturbed = [], []
    for _ in range(repeat * RETRIES):
        if idle_wait > 0:
            begin = time.monotonic()
            wait_until_idle(idle_wait)
            idle_wait -= time.monotonic() - begin
        result = run()
        (disturbed if result.disturbed else quiet).append(result)
        tries = len(quiet) + len(disturbed)
        if len(quiet) == repeat or (idle_wait <= 0 and tries >= repeat):
            break
    return quiet + sorted(disturbed, key=lambda each: each.others)[:repeat - len(quiet)]
