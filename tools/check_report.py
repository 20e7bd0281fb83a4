#!/usr/bin/env python3
"""Checks lines of JSON on standard input against docs/report.schema.json or docs/watch.schema.json.

    check_report.py [DEFINITION]

Without DEFINITION lines of `isolde check --json`; `comparison` and the like is one of that schema's $defs, `watch` is the
object of `isolde watch --json`, and `watch.event` and the like one of $defs there. Knows the part of JSON Schema
that the files use: type, const, enum, required, properties, additionalProperties, items, minItems, maxItems,
minimum, oneOf, allOf, not, anyOf, if, $ref into $defs; patterns are not looked at. Prints the number of valid reports.
"""
import json
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TYPES = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'null': type(None)}


def has_type(value, name):
    if name == 'integer':
        return isinstance(value, int) and not isinstance(value, bool)
    if name == 'number':
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def combined_problems(value, schema, root, where):
    """What schemas within the schema say of the value."""
    def fits(other):
        return not problems(value, other, root, where)

    found = []
    for other in schema.get('allOf', []):
        found += problems(value, other, root, where)
    if 'anyOf' in schema and not any(map(fits, schema['anyOf'])):
        found.append(f'{where}: is none of those that it may be')
    if 'oneOf' in schema and sum(map(fits, schema['oneOf'])) != 1:
        found.append(f'{where}: is not one of those that it may be: {value!r}')
    if 'not' in schema and fits(schema['not']):
        found.append(f'{where}: is what it must not be')
    if 'if' in schema:
        found += problems(value, schema.get('then' if fits(schema['if']) else 'else', {}), root, where)
    return found


def problems(value, schema, root, where):
    if '$ref' in schema:
        schema = root['$defs'][schema['$ref'].rsplit('/', 1)[1]]
    combined = combined_problems(value, schema, root, where)
    if combined:
        return combined
    types = schema.get('type', [])
    types = [types] if isinstance(types, str) else types
    if types and not any(has_type(value, name) for name in types):
        return [f'{where}: {value!r} is not {" or ".join(types)}']
    found = []
    if 'const' in schema and value != schema['const']:
        found.append(f'{where}: is not {schema["const"]!r}')
    if 'enum' in schema and value not in schema['enum']:
        found.append(f'{where}: {value!r} is not allowed')
    if 'minimum' in schema and value < schema['minimum']:
        found.append(f'{where}: {value!r} is too small')
    if isinstance(value, dict):
        known = schema.get('properties', {})
        found += [f'{where}: no {name}' for name in schema.get('required', [])
                  if name not in value]
        rest = schema.get('additionalProperties', True)
        for name, part in value.items():
            if name in known:
                found += problems(part, known[name], root, f'{where}.{name}')
            elif rest is False:
                found.append(f'{where}: unexpected {name}')
            elif isinstance(rest, dict):
                found += problems(part, rest, root, f'{where}.{name}')
    if isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', len(value)):
            found.append(f'{where}: has {len(value)} items')
    if isinstance(value, list) and 'items' in schema:
        for i, part in enumerate(value):
            found += problems(part, schema['items'], root, f'{where}[{i}]')
    return found


def schema_named(name):
    """The file's schema and the definition's; the empty name is that of reports."""
    is_watch = name.split('.')[0] == 'watch'
    with open(os.path.join(ROOT, 'docs', ('watch' if is_watch else 'report') + '.schema.json'),
              encoding='utf-8') as file:
        root = json.load(file)
    definition = name.partition('.')[2] if is_watch else name
    return root, root['$defs'][definition] if definition else root


def main():
    root, schema = schema_named(sys.argv[1] if len(sys.argv) > 1 else '')
    bad = []
    count = 0
    for number, line in enumerate(sys.stdin, 1):
        count += 1
        bad += problems(json.loads(line), schema, root, f'line {number}')
    print('\n'.join(bad) if bad else f'{count} valid')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
