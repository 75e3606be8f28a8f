#!/usr/bin/env python3
"""pleach-bench ycsb at sizes that take seconds: every workload on every structure and every rival of the build, in all
its ways; what is reported, and what is refused. The command checks all answers itself, and ends with status 1 if one is
wrong.

usage: ycsb_check.py [--build FOLDER]"""
import csv
import gzip
import json
import pathlib
import sys
import tempfile

from checks import COMPARE, REPORT, check, commands, finish, key_bytes, run

STRUCTURES = {"map": ("", "[]", "-apply"), "skiplist": ("", "[]"), "hash": ("", "[]")}
RIVALS = {"sorted": "base-", "std-map": "peer-", "absl-btree": "peer-", "gtree": "peer-", "judy": "peer-",
          "lmdb": "peer-"}
DISTS = {"A": "zipfian", "B": "zipfian", "C": "zipfian", "D": "latest", "E": "zipfian", "F": "zipfian"}
BY_MALLOC = ("peer-std-map", "peer-absl-btree")  # whose bytes malloc tells, if it is one that does
LATENCIES = ("latency_p50_ns", "latency_p99_ns", "latency_p999_ns")


def medians_of(command):
    """The medians of a run, by workload and store."""
    result = run([*command, "--json", "-"])
    rows = json.loads(result.stdout)["benchmarks"] if result.returncode == 0 else []
    return {(row["benchmark"].removeprefix("ycsb-"), row["device"].removeprefix("cpu/")): row for row in rows
            if row["run_type"] == "aggregate"}


def stores_of(workload, rivals):
    """What there must be a row of."""
    own = [name + way for name, ways in STRUCTURES.items() for way in ways
           if workload != "E" or (name != "hash" and way != "-apply")]
    return own + [RIVALS[name] + name + ("[]" if name == "sorted" else "") for name in rivals]


def check_rows(rows, rivals, threads):
    expected = {(workload, store) for workload in DISTS for store in stores_of(workload, rivals)}
    check(f"rows, {threads} threads", set(rows) == expected, str(set(rows) ^ expected))
    for (workload, store), row in rows.items():
        name = f"{workload} {store}, {threads} threads"
        single = not store.endswith(("[]", "-apply"))
        check(f"{name}: rate", row["items_per_second"] > 0 and row["threads"] == threads and row["bits"] == 64)
        check(f"{name}: distribution", row["dist"] == DISTS[workload], row["dist"])
        told = store not in BY_MALLOC or "bytes_per_key" in row
        check(f"{name}: memory", not told or 15.9 < row.get("bytes_per_key", 0) < 150, row.get("bytes_per_key"))
        times = [row.get(latency, 0) for latency in LATENCIES]
        check(f"{name}: latency", not single or (0 < times[0] <= times[1] <= times[2]), str(times))
        check(f"{name}: samples", single == (row.get("latency_samples", 0) > 0))
        locked = threads > 1 and store.startswith("peer-") and store != "peer-lmdb"
        check(f"{name}: lock", row.get("locked", 0) == int(locked))


def check_workloads(command, rivals):
    """One thread, whose answers are all known beforehand; three, on what is likely to be two CPUs."""
    for threads in (1, 3):
        rows = medians_of([*command, "--keys", "2000", "--ops", "6001", "--batch", "1000", "--repeat", "2",
                           "--threads", str(threads), "--rivals"])
        check_rows(rows, rivals, threads)
    rows = medians_of([*command, "--keys", "500", "--ops", "2000", "--threads", "1,2", "--structure", "map,hash", "D",
                       "f", "F", "--repeat", "1", "--no-latency", "--single", "--reserve"])
    check("some", set(rows) == {(letter, store) for letter in "DF" for store in ("map", "hash")}, str(set(rows)))
    check("no latency", not any(latency in row for row in rows.values() for latency in LATENCIES))
    for engine in ("calls", "batches"):
        rows = medians_of([*command, "--keys", "500", "--ops", "5000", "--engine", engine, "--repeat", "1"])
        check(f"engine {engine}", len(rows) == 6 * 7 - 3)


def check_distributions(command):
    """Few records, and many inserts: nobody asks for what is not there yet."""
    for dist in ("uniform", "zipfian", "latest"):
        rows = medians_of([*command, "--keys", "16", "--ops", "4000", "--batch", "300", "--threads", "2", "--repeat",
                           "1", "--dist", dist, "D", "E", "--rivals", "--seed", "7"])
        check(f"distribution {dist}", rows and all(row["dist"] == dist for row in rows.values()))


def check_files(command, folder):
    """Workloads from files; and where they are wrong."""
    file = folder / "my workload,1"
    usual = ["--repeat", "1", "--structure", "map", "--workload", file]
    good = {
        "": (None, "uniform"),
        "# all\n! kinds\r\nreadproportion=0.2\nupdateproportion = 0.2\ninsertproportion: 0.2\nscanproportion=0.2\n"
        "readmodifywriteproportion=0.2\nmaxscanlength=300\nminscanlength=3\nscanlengthdistribution=zipfian\n"
        "requestdistribution=latest\nrecordcount=700\noperationcount=3000\nfieldcount=10\nsome.client=x\n":
            (700, "latest"),
        "readproportion=0\nupdateproportion=0\ninsertproportion=7e-1\nrecordcount=20\noperationcount=2000":
            (20, "uniform"),
    }
    for text, (keys, dist) in good.items():
        file.write_text(text)
        rows = medians_of([*command, *usual, *([] if keys else ["--keys", "100", "--ops", "1000"]), "--rivals"])
        row = rows.get(("my_workload_1", "map"), {})
        check("file", row.get("keys") == (keys or 100) and row.get("dist") == dist, str(row))
    bad = {"readproportion=0.5\nreadproportion=2": ":2: ", "\n\nupdateproportion=x": ":3: ",
           "scanproportion=-1": ":1: ", "requestdistribution=hotspot": ":1: ",
           "reedproportion=1": ":1: there is no property 'reedproportion'",
           "# a\nrecordcount=ten": ":2: ", "maxscanlength=0": ":1: ", "insertorder=ordered": ":1: ", "nothing": ":1: ",
           "readproportion=0\nupdateproportion=0": "all proportions are 0", "minscanlength=9\nmaxscanlength=8": "above",
           "scanlengthdistribution=x": ":1: ", "readproportion=nan": ":1: ", "x" * 2000: ":1: ", "a\0=b": ":1: "}
    for text, where in bad.items():
        file.write_text(text)
        result = run([*command, *usual], status=2)
        check(f"file {text[:40]!r}", (f"{file}{where}" if where[0] == ":" else where) in result.stderr, result.stderr)
    run([*command, "--workload", folder / "absent"], status=2)
    run([*command, "--workload", folder], status=2)


def check_key_files(command, rivals, folder):
    """Records whose keys are of a file, the smallest and the largest key among them; and where there are too few."""
    path = folder / "some keys"
    keys = [*range(300), *range(10**6, 10**6 + 9100, 7), *(2**64 - 1 - k * k for k in range(399, -1, -1))]
    usual = [*command, "--repeat", "1", "--threads", "2", "--key-file", path]
    for content in (key_bytes(keys), gzip.compress(key_bytes(keys))):
        path.write_bytes(content)
        rows = medians_of([*usual, "--rivals"])
        expected = {(workload, store) for workload in DISTS for store in stores_of(workload, rivals)}
        check("key file", set(rows) == expected, str(set(rows) ^ expected))
        check("key file: rows", all(row["dist"] == f"file-{DISTS[workload]}" and row["keys"] == 1800
                                    for (workload, _), row in rows.items()), str(rows)[:300])
    rows = medians_of([*usual, "--keys", "1500", "--ops", "9000", "--batch", "1000", "--seed", "3", "D", "E"])
    check("key file: nearly all inserted", {row["keys"] for row in rows.values()} == {1500})
    result = run([*usual, "--keys", "500", "--ops", "1000", "C", "--json", "-"])
    check("key file: its name", json.loads(result.stdout)["context"].get("key_file") == "some keys")
    for words, needed in ((["--keys", "1900", "--ops", "9000", "D"], "inserts"), (["--keys", "2001", "C"], "2001 ")):
        told = run([*usual, *words], status=2).stderr
        check(f"key file: too few for {words}", "more keys than the 2000 of the file" in told and needed in told, told)
    bad = {"ends before its last key": key_bytes(keys, len(keys) + 1), "behind its last key": key_bytes(keys) + b"x",
           "key 20 is not above": key_bytes([*range(20), 19]), "can be measured": key_bytes([1, 2]),
           "tells of": key_bytes(keys, 2**63), f"{path}: ": gzip.compress(key_bytes(keys))[:-20]}
    for why, content in bad.items():
        path.write_bytes(content)
        told = run([*usual, "C"], status=2).stderr
        check(f"key file: {why}", why in told and f"pleach-bench ycsb: {path}: " in told, told)
    path.unlink()
    check("key file: none", "No such file" in run([*usual, "C"], status=2).stderr)


def check_reports(command, folder):
    """What the other commands make of the results, and the rows of a CSV file."""
    results, page, table = folder / "results.json", folder / "page.html", folder / "results.csv"
    run([*command, "--keys", "1000", "--ops", "1000", "--repeat", "2", "--rivals", "--json", results, "--csv", table])
    count = sum(row["run_type"] == "aggregate" for row in json.loads(results.read_text())["benchmarks"])
    rows = list(csv.DictReader(table.open()))
    told = [row["device"] for row in rows if "bytes_per_key=" in row["counters"]]
    check("CSV", len(rows) == count and {"cpu/map", "cpu/hash", "cpu/base-sorted[]"} <= set(told), str(rows[:1]))
    last = run([COMPARE, results, results]).stdout.splitlines()[-1]
    check("compare", last.startswith(f"0 faster, 0 slower, {count} the same"), last)
    run([REPORT, results, "--output", page])
    text = page.read_text()
    check("page", all(f"ycsb-{letter}" in text for letter in DISTS) and text.count("<svg") > len(DISTS))


def check_refusals(command, absent):
    for words in (["G"], ["AB"], [""], ["--keys", "15"], ["--ops", "0"], ["--threads", "0"], ["--threads", "1,,2"],
                  ["--threads", "1,2,3,4,5,6,7,8,9"], ["--structure", "graph"], ["--dist", "zipf"], ["--repeat", "102"],
                  ["--rivals=nobody"], ["--rivals="], ["--engine", "none"], ["--batch", "0"], ["--device", "tpu"],
                  ["--keys"], ["--nothing"], ["--json", "/no/such/folder/file"], ["--keys", "2^31", "--ops", "2^31"]):
        result = run([*command, *words], status=2)
        check(f"refused {words}", "pleach-bench ycsb: " in result.stderr, result.stderr)
    for name in absent:
        check(f"absent {name}", "this build has no" in run([*command, f"--rivals={name}"], status=2).stderr)


def rivals_of(command):
    """Those of this build, as it tells."""
    lines = [line.split() for line in run([*command, "--list-rivals"]).stdout.splitlines()]
    table = {words[0]: words for words in lines[1:] if words and words[0] in RIVALS}
    check("list of rivals", set(table) == set(RIVALS) and table["sorted"][2] == "yes", str(table))
    kinds = {name: RIVALS[name] == ("peer-" if words[1] == "peer" else "base-") for name, words in table.items()}
    check("kinds of rivals", all(kinds.values()), str(kinds))
    return [name for name in RIVALS if table.get(name, ["", "", "no"])[2] == "yes"]


def main():
    _, bench = commands()
    bare = [bench, "ycsb"]
    command = [*bare, "--device", "cpu", "--quick"]
    rivals = rivals_of(bare)
    print(f"rivals: {', '.join(rivals)}")
    check("help", "usage: pleach-bench ycsb" in run([*bare, "--help"]).stdout)
    check_workloads(command, rivals)
    check_distributions(command)
    with tempfile.TemporaryDirectory() as folder:
        check_files(command, pathlib.Path(folder))
        check_key_files(command, rivals, pathlib.Path(folder))
        check_reports(command, pathlib.Path(folder))
    check_refusals(command, set(RIVALS) - set(rivals))
    return finish()


sys.exit(main())
