#!/usr/bin/env python3
"""pleach-bench baselines, at sizes that take seconds: every store has its rows, with answers that were checked.

usage: baselines_check.py [--build FOLDER]"""
import json
import sys
import tempfile

from checks import check, commands, finish, run

STORES = ("map", "map-batches", "sorted", "rebuild", "merge-tree", "coupled")
NAMES = ("grow", "insert", "find", "range/8", "range/32", "succ", "erase/10%", "erase/50%")


def medians_of(arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        result = run([*arguments, "--json", file.name])
        rows = json.load(open(file.name))["benchmarks"] if result.returncode == 0 else []
        return [row for row in rows if row["run_type"] == "aggregate"]


def check_all(bench, bits):
    command = [bench, "baselines", "--device", "cpu", "--quick", "--bits", str(bits), "--repeat", "1"]
    rows = medians_of([*command, "--keys", "20K", "grow", "insert", "find", "range", "succ", "erase"])
    for name in NAMES:
        for store in STORES:
            own = [row for row in rows if row["benchmark"] == name and row["device"] == f"cpu/{store}"]
            right = own and all(row["items_per_second"] > 0 and row["bits"] == bits for row in own)
            check(f"{name} of {store}, {bits} bits", right, str(own[:1]))


def check_crossing(bench):
    """2^16 pairs into up to 2^18: the crossing is among the sizes that were measured, or at their ends."""
    rows = medians_of([bench, "baselines", "--device", "cpu", "--quick", "--keys", "2^18", "--repeat", "1",
                       "crossing"])
    check("crossings", {row["device"] for row in rows} == {"cpu/map", "cpu/map-batches"})
    for row in rows:
        at = row["crossing_keys"]
        check("a crossing", at == 0 or row["measured_from"] <= at <= row["measured_to"], str(row))


def main():
    _, bench = commands()
    for bits in (32, 64):
        check_all(bench, bits)
    check_crossing(bench)
    command = [bench, "baselines"]
    run([*command, "--help"])
    run([*command, "nothing"], status=2)
    run([*command, "--bits", "16"], status=2)
    one = medians_of([*command, "--device", "cpu", "--quick", "--keys", "1000", "--repeat", "1", "find", "sorted"])
    check("one measurement of one store", [row["name"].split("/")[0] for row in one] == ["find"])
    return finish()


if __name__ == "__main__":
    sys.exit(main())
