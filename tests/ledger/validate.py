"""Validates ledgers against the schema: every line must pass, and broken ones must not.

usage: validate.py SCHEMA LEDGER...   Needs python3-jsonschema.
"""
import copy
import json
import sys

import jsonschema


def complaints_about_controls(validator, record):
    """Changes that make a record wrong, each of which the schema must find."""
    def changed(change):
        r = copy.deepcopy(record)
        change(r)
        return r

    def node(change):
        return changed(lambda r: change(r["nodes"][0]))

    controls = {
        "another schema": changed(lambda r: r.update(schema="opscope-ledger/2")),
        "no totals": changed(lambda r: r.pop("totals")),
        "a negative count": changed(lambda r: r.update(seq=-1)),
        "a count beyond 64 bits": changed(lambda r: r["totals"].update(nodes=2**64)),
        "a figure that is a text": changed(lambda r: r["totals"].update(bytes="1")),
        "a figure that is no integer": changed(lambda r: r["totals"].update(bytes=0.5)),
        "a fingerprint cut short": changed(lambda r: r.update(lowered="fp1:00")),
        "a local time": changed(lambda r: r.update(time="2026-12-01T09:30:00+01:00")),
        "a stage that is none": changed(lambda r: r.update(stage="final")),
        "an option that is a number": changed(lambda r: r["compiler"]["options"].update(a=1)),
        "nodes without outputs": changed(lambda r: r.pop("outputs")),
        "a node without a kind": node(lambda n: n.pop("kind")),
        "a symbol without a number": node(lambda n: n.update(shape=["?"])),
        "a nested attribute": node(lambda n: n["attrs"].update(a={"b": 1})),
        "a slot without bytes": node(lambda n: n.update(slot={"offset": 0})),
    }
    return [what for what, broken in controls.items() if validator.is_valid(broken)]


def main(schema_path, *ledgers):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    records = 0
    wrong = 0
    for path in ledgers:
        before = records
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                record = json.loads(line)
                records += 1
                for error in validator.iter_errors(record):
                    wrong += 1
                    print(f"{path}:{number}: {error.json_path}: {error.message[:200]}")
                if records == 1:
                    for what in complaints_about_controls(validator, record):
                        wrong += 1
                        print(f"the schema lets pass: {what}")
        if records == before:
            wrong += 1
            print(f"{path}: no record in it")
    print(f"{records} records, {wrong} complaints")
    return 0 if records and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
