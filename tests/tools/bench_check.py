#!/usr/bin/env python3
"""The benchmarks of graphs, hash tables and ablations, at sizes that take seconds: every one runs, checks its answers,
and reports what it should; and the triangles that it counts are those of the same graphs, counted here.

usage: bench_check.py [--build FOLDER]"""
import gzip
import json
import pathlib
import sys
import tempfile

from checks import COMPARE, check, commands, finish, key_bytes, run

SCALE = 8
EXPERIMENTS = ("insert", "erase", "erase-vertices", "build", "incremental", "triangles", "dynamic", "load", "queries")
GRAPHS = {"road": ["grid"], "delaunay": ["delaunay"], "rgg": ["rgg"],
          "social": ["rmat", "--edge-factor", "16", "--scramble"]}
ABLATIONS = (("latch", "from-root from-parent spin back-off", "failed_latches_per_op"),
             ("splits", "proactive up-path up-search", "splits"),
             ("loads", "full-fence light-fence no-fence", "nodes_per_op"),
             ("reclaim", "process thread operation operation-counter", "most_retired"),
             ("eirene", "one-by-one combining locality", "accesses_per_request"),
             ("palm-leaves", "append sorted", "moved_per_op"),
             ("palm-parents", "pointers paths", "parents_written_per_op"))


def results_of(arguments):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        result = run([*arguments, "--json", file.name])
        return json.load(open(file.name))["benchmarks"] if result.returncode == 0 else []


def medians_of(arguments):
    return [row for row in results_of(arguments) if row["run_type"] == "aggregate"]


def triangles_of(pleach, kind):
    """By going through all pairs of neighbours of the lowest vertex."""
    lines = run([pleach, "graph", "gen", *kind, "--scale", str(SCALE), "--seed", "1", "-o", "-"]).stdout.splitlines()
    higher = {}
    for line in lines:
        if line and line[0] not in "#%":
            low, high = sorted(map(int, line.split()[:2]))
            if low != high:
                higher.setdefault(low, set()).add(high)
    return sum(len(higher[u] & higher.get(v, set())) for u in higher for v in higher[u])


def check_limits(bench):
    """Every row of pleach's that memory limits has its share of that, times as rates do; and no other has."""
    limits = {"insert": "sectors changed", "erase": "sectors changed", "erase-vertices": "sectors changed",
              "build": "sorting", "incremental": "sectors changed", "triangles": "memory bandwidth",
              "dynamic": "sectors changed", "load": "sorting", "queries": "random sectors"}
    peers = ("vectors", "merged rows", "GraphBLAS")
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run([bench, "graph", "--scale", "12", "--runs", "1", "--threads", "2", "--json", file.name])
        made = json.load(open(file.name))
    measured = made["context"]["limits"]
    check("limits", len(measured) >= 6 and min(measured.values()) > 0, f"{measured}")
    rows = [row for row in made["benchmarks"] if row["run_type"] == "aggregate"]
    for name, limit in limits.items():
        own = [row for row in rows if row["experiment"] == name and row["unit"] not in ("used", "bytes", "chain")
               and not row["what"].startswith(peers)]
        odd = [row for row in own if not 0 < row.get("limit_share", 0) < 50 or row["limit"] not in measured]
        check(f"{name} has shares", own and not odd, f"{odd[:1]}")
        check(f"{name} is limited by {limit}", any(limit in row.get("limit", "") for row in own), f"{own[:1]}")
        for row in own:
            times = row["unit"] == "ms"
            share = row["limit_time"] / row["median"] if times else row["median"] / row["limit_rate"]
            check(f"{name}: share", abs(share - row["limit_share"]) < 1e-4 + 1e-3 * share, f"{row}")
    others = [row for row in rows if row["what"].startswith(peers) or row["unit"] in ("used", "bytes", "chain")]
    check("others have none", others and not any("limit" in row for row in others))
    rates = {row["what"]: row.get("limit_rate", 0) for row in rows
             if row["experiment"] == "incremental" and row["graph"] == "mean"}
    check("an undirected edge is two entries",
          abs(rates["pleach, directed"] / rates["pleach, undirected"] - 2) < 0.01, f"{rates}")


def check_paper(command):
    """Each table of the dissertation has as many rows as there, and what it measured beside them."""
    lengths = {"table-5.2": 7, "table-5.3": 7, "table-5.4": 5, "table-5.5": 12, "table-5.6": 3, "table-5.7": 12,
               "table-5.8": 12, "table-5.9": 20, "figure-5.2": 15, "figure-5.3": 15}
    for words in ([], ["--adjacency", "ordered"]):
        rows = medians_of([*command, *words, "paper"])
        for name, length in lengths.items():
            own = [row for row in rows if row["experiment"] == name]
            own = [row for row in own if row["graph"] == "mean"] or own
            expected = 0 if name.startswith("figure") and words else length
            measured = all(row["median"] > 0 for row in own)
            beside = name.startswith("figure") or all(row["titan_v"] > 0 or row["times_peer"] > 0 for row in own)
            check(f"{name} {words}", len(own) == expected and measured and beside, f"{len(own)} rows")


def check_graphs(pleach, bench):
    command = [bench, "graph", "--scale", str(SCALE), "--runs", "2", "--threads", "2"]
    rows = medians_of([*command, "--all"])
    for name in EXPERIMENTS:
        own = [row for row in rows if row["experiment"] == name]
        check(f"{name} has rows", len(own) > 0)
        unmeasured = [row for row in own if not row["median"] > 0]
        check(f"{name} measures", not unmeasured, str(unmeasured[:1]))
    for name in ("insert", "incremental", "build", "triangles", "dynamic", "queries"):
        check(f"{name} has a peer", any(row["experiment"] == name and row["times_peer"] > 0 for row in rows))
    for graph, kind in GRAPHS.items():
        notes = [row["note"] for row in rows
                 if row["experiment"] == "triangles" and row["graph"] == graph and row["what"] == "pleach"]
        expected = f"{triangles_of(pleach, kind)} triangles;"
        check(f"triangles of {graph}", len(notes) == 1 and notes[0].startswith(expected), f"{notes}, not {expected}")
    one = medians_of([*command, "queries"])
    check("one experiment", one and {row["experiment"] for row in one} == {"queries"})
    ordered = medians_of([*command, "--adjacency", "ordered"])
    check("ordered graphs", {row["experiment"] for row in ordered} == set(EXPERIMENTS) - {"load"})
    run([*command, "--adjacency", "ordered", "load"], status=2)
    sparse = medians_of([*command, "--sparse", "insert", "erase-vertices", "build"])
    check("sparse graphs", {row["experiment"] for row in sparse} == {"insert", "erase-vertices", "build"})
    check("no limits of graphs that caches hold", not any("limit" in row for row in rows))
    check_paper(command)
    check_limits(bench)
    run([*command, "nothing"], status=2)
    run([*command, "--scale", "3"], status=2)
    run([bench, "graph", "--help"])


def check_adjacencies(pleach, bench):
    """Whatever keeps the neighbours, the answers are the same."""
    with tempfile.NamedTemporaryFile(suffix=".txt", mode="w") as file:
        for i in range(2000):
            file.write(f"{i * 7919 % 97} {i * 104729 % 89} {i}\n")
        file.flush()
        for words in (["triangles", "--top", "5", "--clustering"],
                      ["stream", "--batch", "100", "--window", "700", "--check"]):
            answers = [[line.split()[:7] for line in run([pleach, "graph", *words, *kept,
                                                          file.name]).stdout.splitlines()]
                       for kept in (["--adjacency", "hash"], ["--adjacency", "ordered"], ["--sparse"])]
            check(f"{words[0]} with both adjacencies", answers[0] == answers[1] and len(answers[0]) > 5)
            check(f"{words[0]} with sparse ids", answers[0] == answers[2])
        for kept in ([], ["--sparse"], ["--adjacency", "ordered"]):
            counts = [run([pleach, "graph", "triangles", "--top", "3", "--build", way, *kept, file.name]).stdout
                      for way in ("bulk", "batches", "random", "churn")]
            check(f"triangles, built in four ways {kept}", len(set(counts)) == 1 and len(counts[0].splitlines()) == 4)
        run([pleach, "graph", "triangles", "--build", "none", file.name], status=2)
        run([pleach, "graph", "triangles", "--adjacency", "none", file.name], status=2)


def check_hashes(bench):
    rows = results_of([bench, "hash", "--device", "cpu", "--keys", "5000", "--repeat", "2", "--quick"])
    whats = ("put-sized", "put-growing", "find", "find-miss", "erase-half")
    for bits in (32, 64):
        for name in [f"hash/{kind}/{what}" for kind in ("map", "set") for what in whats] + ["map/put", "map/find"]:
            own = [row for row in rows if row["benchmark"] == name and row["bits"] == bits]
            kinds = [row["run_type"] for row in own]
            rates = [row["items_per_second"] for row in own]
            right = kinds == ["iteration", "iteration", "aggregate"] and min(rates) > 0
            check(f"{name} {bits}", right and abs(rates[2] - (rates[0] + rates[1]) / 2) < 1e-4 * rates[2], f"{own}")


def check_mixed(bench):
    """Shares of updates, their kinds and lengths of ranges are those that were asked for; and what is none of them."""
    command = [bench, "--device", "cpu", "--bits", "32", "--keys", "5000", "--ops", "3000", "--repeat", "1",
               "--quick"]
    twice = ("mixed-range/3/25%", "mixed-range/9/25%", "mixed-range/3/100%", "mixed-range/9/100%", "mixed-length/3",
             "mixed-length/9", "mixed-erase/25%", "mixed-erase/100%", "mixed-all/3/25%", "mixed-all/9/25%",
             "mixed-all/3/100%", "mixed-all/9/100%")  # without versions and with them
    once = ("apply/range/3/25%", "apply/range/9/25%", "apply/range/3/100%", "apply/range/9/100%", "single-mixed/25%",
            "single-mixed/100%", "range-limit/3", "range-limit/9")
    names = ["mixed-range", "mixed-length", "mixed-erase", "mixed-all", "apply", "single-mixed", "range-limit"]
    rows = [row for row in results_of([*command, *names, "--length", "3,9", "--updates", "25,100"])
            if row["run_type"] == "aggregate"]
    found = sorted(row["benchmark"] for row in rows)
    check("shares and lengths", found == sorted(twice * 2 + once), f"{found}")
    check("rates", all(row["items_per_second"] > 0 for row in rows))
    rows = [row for row in results_of([*command, "mixed-memory", "apply", "--updates", "0.01,75", "--kinds",
                                       "change,insert"]) if row["run_type"] == "aggregate"]
    found = {row["benchmark"] for row in rows if row["benchmark"].startswith("apply")}
    check("kinds", found == {f"apply/{kind}/{share}%" for kind in ("change", "insert") for share in ("0.01", "75")},
          f"{found}")
    sizes = {row["benchmark"]: row["map_keys"] for row in rows if row["benchmark"].startswith("mixed-memory")}
    check("mixed-memory", len(sizes) == 12 and sizes["mixed-memory/10%"] == 5150
          and sizes["mixed-memory/100%"] == 6500, f"{sizes}")
    for words in (["--updates", "101"], ["--updates", "x"], ["--updates", ""], ["--kinds", "none"], ["--length", "0"],
                  ["--length", "5000"], ["--length", ",".join(["4"] * 17)]):
        run([*command, "apply", *words], status=2)


def check_key_files(bench):
    """Keys from files, close together and up to the largest, with answers checked; damaged files are refused."""
    crowded = [*range(100, 400), *range(10**6, 10**6 + 5000, 7), *(2**64 - 1 - k * k for k in range(200, -1, -1))]
    names = ["load", "find", "find-miss", "insert-batch", "erase", "range-packed", "succ", "apply", "single-put",
             "mixed-all", "batches", "hash"]
    refused = {"short": key_bytes(crowded, len(crowded) + 1), "long": key_bytes(crowded) + b"x",
               "few": key_bytes([1, 2]), "order": key_bytes([*range(20), 19]), "empty": b"",
               "count": key_bytes(crowded, 2**63)}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "keys"
        command = [bench, "--device", "cpu", "--ops", "2000", "--repeat", "1", "--quick", "--key-file", path]
        path.write_bytes(gzip.compress(key_bytes(crowded)))
        rows = [row for row in results_of([*command, *names]) if row["run_type"] == "aggregate"]
        kinds = {row["benchmark"].split("/")[0] for row in rows}
        check("key file", kinds >= {"load", "find", "erase", "apply", "mixed-all", "batch", "hash"}
              and all(row["dist"] == "file" and row["bits"] == 64 for row in rows), f"{kinds}")
        rows = results_of([*command, "find", "--dist", "zipf", "--keys", "500"])
        check("part of a key file", {(row["dist"], row["keys"]) for row in rows} == {("file-zipf", 500)}, f"{rows[:1]}")
        for words in (["--bits", "32"], ["--dist", "dense"]):
            run([*command, "find", *words], status=2)
        for name, content in refused.items():
            path.write_bytes(content)
            told = run([*command, "find"], status=2).stderr
            check(f"key file: {name}", f"pleach-bench: {path}: " in told, told)
        path.unlink()
        check("key file: none", "No such file" in run([*command, "find"], status=2).stderr)


def check_compare():
    """Which of made results are faster, slower or neither; and files that are none."""
    def results(rates):
        runs = [{"name": name, "run_type": "iteration", "items_per_second": rate}
                for name, some in rates.items() for rate in some]
        return {"context": {"cpu": "a"}, "benchmarks": runs + [{"name": "a_mean", "run_type": "aggregate"}]}

    before = {"a": [1e6, 2e6, 3e6], "b": [10e6, 11e6, 12e6], "c": [10e6, 11e6, 12e6], "d": [10e6, 10e6], "e": [1e6]}
    after = {"a": [3e6, 4e6, 5e6], "b": [13e6, 12.5e6, 14e6], "c": [9e6, 8e6, 7e6], "d": [10.1e6, 10.1e6], "f": [1e6]}
    bad = ("", "{", "[1, 2", '{"a" 1}', '{"benchmarks": 3}', '{"a": "b\n"}', '{"a": "\\q"}', "[" * 100, "{} x", "nul",
           "-", '{"benchmarks": [}')
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("before.json", "after.json", "bad.json")]
        for file, rates in zip(files, (before, after)):
            file.write_text(json.dumps(results(rates), indent=1))
        command = [COMPARE]
        lines = run([*command, files[0], files[1]]).stdout.splitlines()
        verdicts = {line.split()[0]: line.split()[-1] for line in lines if line[:2] in ("a ", "b ", "c ", "d ")}
        check("verdicts", verdicts == {"a": "same", "b": "faster", "c": "slower", "d": "same"}, str(verdicts))
        check("tally", lines[-1] == "1 faster, 1 slower, 2 the same, 1 only before, 1 only after", lines[-1])
        lines = run([*command, "--changed", "--percent", "0.5", files[0], files[1]]).stdout.splitlines()
        check("percent", lines[-1].startswith("2 faster, 1 slower, 1 the same"), lines[-1])
        run([*command, "--fail-if-slower", files[0], files[1]], status=1)
        run([*command, "--fail-if-slower", files[0], files[0]])
        run([*command, files[0]], status=2)
        run([*command, "--percent", "x", files[0], files[1]], status=2)
        run([*command, files[0], pathlib.Path(folder) / "absent.json"], status=2)
        for text in bad:
            files[2].write_text(text)
            run([*command, files[0], files[2]], status=2)
        run([*command, "--help"])


def check_papers(bench):
    """Every experiment has run, with its results, or says why not; and a second time there is nothing to do."""
    with tempfile.TemporaryDirectory() as folder:
        command = [bench, "paper", "--device", "cpu", "--small"]
        listed = run([*command, "--list"]).stdout.split("\n\n")
        out = run([*command, "--out", folder]).stdout
        runs = sum(text.count("\nruns ") for text in listed)
        check("papers", len(listed) > 30 and f"{runs} runs, 0 failed, 0 left out" in out, out[-200:])
        for text in listed[:-1]:
            name = text.split(":")[0]
            made = [path for form in ("", "-[0-9]*") for path in pathlib.Path(folder).glob(f"{name}{form}.json")]
            expected = text.count("\nruns ")
            if expected:
                results = [json.loads(path.read_text()) for path in made]
                rows = [row for result in results for row in result["benchmarks"]]
                check(f"paper {name}", len(made) == expected and len(rows) >= expected, f"{made}")
            else:
                check(f"paper {name}, why not", "\nnote " in text, text)
        again = run([*command, "--out", folder]).stdout
        check("papers, continued", f"0 runs, 0 failed, {runs} left out" in again, again[-200:])
        late = run([*command, "--seconds", "1", "palm"]).stdout
        check("papers, some of them", "experiments, of which" in late and "awad" not in late)
        run([*command, "none-such"], status=2)
        run([*command, "--out", "/dev/null/folder"], status=2)
        run([*command, "--help"])


def check_ablations(bench):
    """Every ablation has rows for each of its choices, with what it counts; and others are refused."""
    command = [bench, "ablations", "--device", "cpu", "--quick"]
    rows = [row for row in medians_of([*command, "--repeat", "2"])]
    for name, choices, counter in ABLATIONS:
        own = [row for row in rows if row["benchmark"].startswith(f"{name}/")]
        found = {row["benchmark"].split("/")[-1] for row in own}
        check(f"ablation {name}", found == set(choices.split()), f"{found}")
        check(f"ablation {name} measures", all(row["items_per_second"] > 0 and counter in row for row in own))
    visited = {(row["benchmark"], row["dist"]): row["nodes_per_request"] for row in rows if "nodes_per_request" in row}
    for dist in ("uniform", "zipf0.99"):
        counts = [visited.get((f"eirene/{step}", dist), 0) for step in ("one-by-one", "combining", "locality")]
        check(f"nodes visited, {dist}", counts[0] > counts[1] > counts[2] > 0, f"{counts}")
    one = medians_of([*command, "--repeat", "1", "splits"])
    check("one ablation", one and all(row["benchmark"].startswith("splits/") for row in one))
    run([*command, "none-such"], status=2)
    run([*command, "--repeat", "0"], status=2)
    run([*command, "--json", "/dev/null/file"], status=2)
    run([*command, "--help"])


def main():
    pleach, bench = commands()
    check("where benchmarks are", all("pleach-bench" in run([pleach, *words], status=2).stderr
                                      for words in (["bench", "find"], ["graph", "bench"])))
    check_graphs(pleach, bench)
    check_adjacencies(pleach, bench)
    check_hashes(bench)
    check_mixed(bench)
    check_key_files(bench)
    check_compare()
    check_ablations(bench)
    check_papers(bench)
    return finish()


sys.exit(main())
