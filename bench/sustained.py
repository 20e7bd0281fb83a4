#!/usr/bin/env python3
"""A watch beside a generator that feeds it at a steady rate, for as long as one likes.

    sustained.py ISOLDE FOLDER [--rate 100000] [--minutes 60] [--fault-at 0.83] [--workload blindw-rw]

`isolde gen` writes into a pipe; this program passes its groups on to a file at the rate that is asked
for, a tenth of a second's bytes at a time, and `isolde watch --follow` reads the file while it grows. From the
share FAULT_AT of the history on its store gives stale reads. Every five seconds FOLDER/samples.csv gets
a line: seconds, transactions written, read and settled, resident bytes, and the share of a core
that watch and gen took. At the end it prints how evenly that went, and how long after its last
transaction was written the violation was suspected and told. FOLDER/samples.svg shows it.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import threading
import time
import urllib.request

GROUP_HEADER = 40


def options():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('isolde')
    parser.add_argument('folder')
    parser.add_argument('--rate', type=float, default=100000)
    parser.add_argument('--minutes', type=float, default=60)
    parser.add_argument('--fault-at', type=float, default=0.83)
    parser.add_argument('--workload', default='blindw-rw')
    return parser.parse_args()


class Feed:
    """Passes bytes of a generator on to the file, so many a second."""

    def __init__(self, source, path, bytes_a_second):
        self.source = source
        self.file = open(path, 'wb', buffering=0)
        self.rate = bytes_a_second
        self.begun = time.monotonic()
        self.written = 0

    def feed(self):
        """What is due now; False: there is no more."""
        due = int((time.monotonic() - self.begun) * self.rate) - self.written
        while due > 0:
            piece = self.source.read(min(due, 1 << 20))
            if not piece:
                return False
            self.file.write(piece)
            self.written += len(piece)
            due -= len(piece)
        return True


def cpu_seconds(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as file:
            words = file.read().rpartition(')')[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf('SC_CLK_TCK')
    except OSError:
        return 0.0


def status(address):
    with urllib.request.urlopen(address + 'status.json', timeout=5) as answer:
        return json.load(answer)


def bytes_a_transaction(isolde, workload):
    """Of a short history of the same shape; the long one's numbers take a little more."""
    count = 1000000
    made = subprocess.run([isolde, 'gen', '--workload', workload, '--txns', str(count), '--sessions',
                           '24', '--seed', '5', '--to', 'native-binary', '--out', '-'],
                          check=True, stdout=subprocess.PIPE)
    return len(made.stdout) / count


def plot(samples, path):
    """Each figure over time, in a row of its own."""
    rows = [('transactions a second', 'rate'), ('transactions written and not read', 'lag'),
            ('resident MB', 'memory'), ('watch: share of a core', 'watch'),
            ('gen: share of a core', 'gen')]
    width, height, left = 800, 110, 70
    end = max(each['seconds'] for each in samples) or 1
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + left + 20}" '
             f'height="{len(rows) * (height + 40) + 30}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>']
    for number, (title, name) in enumerate(rows):
        top = 30 + number * (height + 40)
        most = max(each[name] for each in samples) * 1.1 or 1
        points = ' '.join(f"{left + width * each['seconds'] / end:.1f},"
                          f"{top + height - height * each[name] / most:.1f}" for each in samples)
        parts += [f'<text x="{left}" y="{top - 6}">{title}</text>',
                  f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" '
                  'stroke="#bbb"/>',
                  f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{most:,.4g}</text>',
                  f'<text x="{left - 6}" y="{top + height}" text-anchor="end">0</text>',
                  f'<polyline points="{points}" fill="none" stroke="#1f5fa8" stroke-width="1.5"/>']
    parts += [f'<text x="{left + width}" y="{30 + len(rows) * (height + 40) - 20}" '
              f'text-anchor="end">{end / 60:.1f} minutes</text>', '</svg>']
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(parts))


def heed(stream, suspected_at):
    """When a line of the watch tells of a suspicion."""
    for line in stream:
        if line.startswith('isolde: suspected'):
            suspected_at.append(time.monotonic())


def main():
    asked = options()
    isolde = os.path.abspath(asked.isolde)
    os.makedirs(asked.folder, exist_ok=True)
    os.chdir(asked.folder)
    size = bytes_a_transaction(isolde, asked.workload)
    count = int(asked.rate * 60 * asked.minutes)
    gen = subprocess.Popen([isolde, 'gen', '--workload', asked.workload, '--txns', str(count),
                            '--sessions', '24', '--seed', '5', '--fault', 'stale-read',
                            '--fault-after', str(asked.fault_at), '--to', 'native-binary',
                            '--out', '-'], stdout=subprocess.PIPE)
    feed = Feed(gen.stdout, 'live.isob', asked.rate * size)
    watch = subprocess.Popen([isolde, 'watch', '--follow', '--listen', '0', '--bundle',
                              'bundle.jsonl', '--certificate', 'bundle.proof', '--segments',
                              'live.segments', '--checkpoint', 'live.checkpoint', 'live.isob'],
                             stdout=open('watch.out', 'wb'), stderr=subprocess.PIPE, text=True)
    address = re.search(r'http://\S+', watch.stderr.readline()).group()
    suspected_at = []
    threading.Thread(target=heed, args=(watch.stderr, suspected_at), daemon=True).start()
    samples = []
    written_at = []  # (seconds, transactions)
    before = {'at': time.monotonic(), 'read': 0, 'watch': 0.0, 'gen': 0.0}
    while watch.poll() is None and feed.feed():
        time.sleep(0.1)
        now = time.monotonic()
        written_at.append((now, feed.written / size))
        if now - before['at'] < 5:
            continue
        try:
            seen = status(address)
        except OSError:
            continue
        after = {'at': now, 'read': seen['transactions'], 'watch': cpu_seconds(watch.pid),
                 'gen': cpu_seconds(gen.pid)}
        took = now - before['at']
        samples.append({'seconds': round(now - feed.begun, 1),
                        'written': int(feed.written / size), 'read': seen['transactions'],
                        'settled': seen['settled'],
                        'lag': max(0, int(feed.written / size) - seen['transactions']),
                        'rate': round((after['read'] - before['read']) / took),
                        'memory': round(seen['rss_bytes'] / 1e6, 1),
                        'watch': round((after['watch'] - before['watch']) / took, 3),
                        'gen': round((after['gen'] - before['gen']) / took, 3)})
        before = after
    watch.wait()
    ended = time.monotonic()
    gen.kill()
    with open('samples.csv', 'w', encoding='utf-8', newline='') as file:
        writer = csv.DictWriter(file, samples[0])
        writer.writeheader()
        writer.writerows(samples)
    plot(samples, 'samples.svg')
    steady = samples[len(samples) // 10:]
    memory = [each['memory'] for each in steady]
    print(f"{samples[-1]['read']:,} transactions in {samples[-1]['seconds'] / 60:.1f} minutes; "
          f"memory {min(memory)} to {max(memory)} MB after a tenth of the time; "
          f"watch took {sum(each['watch'] for each in steady) / len(steady):.2f} of a core, "
          f"gen {sum(each['gen'] for each in steady) / len(steady):.2f}")
    with open('watch.out', encoding='utf-8') as file:
        text = file.read()
    numbers = [int(each.replace(',', '')) for each in re.findall(r'= #(\d[\d,]*)', text)]
    if numbers:
        at = next((at for at, written in written_at if written >= max(numbers)), ended)
        if suspected_at:
            print(f'suspected {suspected_at[0] - at:.2f} s after #{max(numbers)} was written')
        print(f'violation of #{max(numbers)} told {ended - at:.2f} s after it was written')
    print(text.split('\n\n')[1].strip())


if __name__ == '__main__':
    main()
