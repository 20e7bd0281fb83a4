"""Whether what isolde watch tells other programs fits docs/watch.schema.json."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), 'tools'))

from check_report import problems, schema_named  # noqa: E402, it is found by the line above

try:
    import jsonschema
except ImportError:  # tools/check_report.py knows what the schema uses, but for patterns
    jsonschema = None


def schema_problems(document, definition=''):
    """Of that one of its $defs; empty: of the object of --json."""
    root, schema = schema_named('watch' + (f'.{definition}' if definition else ''))
    found = problems(document, schema, root, definition or 'watch')
    if jsonschema:
        whole = {'$ref': f'#/$defs/{definition}', '$defs': root['$defs']} if definition else root
        found += [f'{"/".join(map(str, problem.absolute_path))}: {problem.message}'
                  for problem in jsonschema.Draft202012Validator(whole).iter_errors(document)]
    return found


def fitting(document, definition=''):
    """The document, which fits."""
    found = schema_problems(document, definition)
    assert not found, (found, document)
    return document
