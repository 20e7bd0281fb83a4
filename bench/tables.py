"""What the benchmarks print: rows, ratios of threads, growth, figures of others."""
import csv
import itertools
import math
import pathlib
import re

PUBLISHED = pathlib.Path(__file__).resolve().parent / 'published.csv'


def number(value):
    """A figure with three digits that count; an empty cell for None."""
    if value is None:
        return ''
    if isinstance(value, float):
        if value == 0:
            return '0'
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        return f'{value:.{min(digits, 6)}f}'
    return str(value)


def markdown_row(cells):
    return '| ' + ' | '.join(number(cell).replace('|', '\\|') for cell in cells) + ' |'


def markdown(rows):
    """Rows are dictionaries with the same keys."""
    rows = list(rows)
    if not rows:
        return ''
    lines = [markdown_row(rows[0]), '|' + '---|' * len(rows[0])]
    return '\n'.join(lines + [markdown_row(row.values()) for row in rows])


class Stream:
    """A table that appears row by row."""

    def __init__(self):
        self.rows = []

    def add(self, row):
        if not self.rows:
            print(markdown_row(row))
            print('|' + '---|' * len(row))
        self.rows.append(row)
        print(markdown_row(row.values()), flush=True)


def write_csv(path, rows):
    with open(path, 'w', newline='', encoding='utf-8') as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({key: '' if value is None else value for key, value in row.items()}
                         for row in rows)


def ratio(above, below):
    return above / below if above is not None and below else None


def thread_rows(rows):
    """How many times faster several threads are than the fewest, in each stage."""
    for recipe, group in itertools.groupby(rows, key=lambda row: row['recipe']):
        group = list(group)
        for row in group[1:]:
            yield {'recipe': recipe, 'threads': f'{row["threads"]} for {group[0]["threads"]}',
                   'load': ratio(group[0]['load s'], row['load s']),
                   'check': ratio(group[0]['check s'], row['check s']),
                   'certificate': ratio(group[0]['certificate s'], row['certificate s']),
                   'wall': ratio(group[0]['wall s'], row['wall s']),
                   'more CPU': ratio(row['CPU s'], group[0]['CPU s']),
                   'more memory': ratio(row['peak MB'], group[0]['peak MB'])}


def exponent(small, large, key):
    """E in cost = c x operations^E; 1 is linear."""
    grown = ratio(large[key], small[key])
    times = ratio(large['operations'], small['operations'])
    if not grown or not times or times == 1 or grown <= 0:
        return None
    return math.log(grown) / math.log(times)


def growth_rows(rows, family_of):
    """From each size of a recipe to the next one."""
    families = {}
    for row in rows:
        families.setdefault((family_of(row), row['threads']), []).append(row)
    for (family, threads), group in families.items():
        group.sort(key=lambda row: row['operations'])
        for small, large in itertools.pairwise(group):
            yield {'recipe': family, 'threads': threads,
                   'operations': f'{small["operations"]} to {large["operations"]}',
                   'times more': ratio(large['operations'], small['operations']),
                   **{f'{key} exponent': exponent(small, large, key)
                      for key in ('load s', 'check s', 'wall s', 'CPU s', 'peak MB')}}


def read_published():
    with open(PUBLISHED, encoding='utf-8') as file:
        return list(csv.DictReader(file))


def published_rows(rows):
    """What others published for inputs like ours, beside our figures."""
    table = read_published()
    best = {}
    for row in rows:
        if row['recipe'] not in best or row['wall s'] < best[row['recipe']]['wall s']:
            best[row['recipe']] = row
    for row in best.values():
        for other in table:
            if re.fullmatch(other['cases'], row['recipe']):
                yield {'recipe': row['recipe'], 'ours: wall s': row['wall s'],
                       'ours: peak MB': row['peak MB'], 'ours: operations': row['operations'],
                       'tool': other['tool'], 'level': other['level'], 'input': other['input'],
                       's': other['seconds'], 'MB': other['peak_mb'], 'note': other['note'],
                       'source': other['source'], 'machine': other['machine']}
