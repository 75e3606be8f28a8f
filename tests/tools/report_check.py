#!/usr/bin/env python3
"""bench/report.py: every result is on the page, drawn as it should be, and judged by what is known of it.

usage: report_check.py [--build FOLDER]"""
import json
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree

from checks import PLOT, REPORT, check, commands, finish, run

CONTEXT = {"date": "2000-01-01", "pleach": "1", "commit": "abc-dirty", "build": "Release", "cpu": "c & d",
           "memory": "8.0 GiB", "gpu": "none", "driver": ""}


def figure(value):
    """As pages write it."""
    return f"{value:,.0f}" if value >= 999.5 else f"{value:.4g}"


def result(benchmark, device, rate, keys=1000, **more):
    """The rows of a result: two repeats and their median."""
    row = {"benchmark": benchmark, "device": device, "bits": 64, "keys": keys, "batch": 500, "dist": "uniform",
           "threads": 2, "run_name": f"{benchmark}/{device}/keys:{keys}", "time_unit": "ns"}
    repeats = [{**row, "run_type": "iteration", "items_per_second": times * rate * 1e6} for times in (0.9, 1.1)]
    median = {**row, "run_type": "aggregate", "aggregate_name": "median", "items_per_second": rate * 1e6, **more}
    return [*repeats, median]


def limited(share):
    return {"limit": "random lines", "limit_rate": 1e6, "limit_share": share}


def write(path, results):
    path.write_text(json.dumps({"context": CONTEXT, "benchmarks": sum(results, [])}))
    return path


def drawings_of(text):
    return [xml.etree.ElementTree.fromstring(part) for part in re.findall("<svg.*?</svg>", text, re.S)]


def made_results():
    """Of all kinds, each with a rate of its own."""
    latencies = {"latency_p50_ns": 100, "latency_p99_ns": 300, "latency_p999_ns": 900}
    return [result("long-count", "cpu", 9.25), result("limits/lines", "cpu", 91.25),
            result("limits/bytes-copied", "cpu", 8123),
            result("find", "cpu", 11.25, 1000, **limited(0.9)), result("find", "cpu", 12.25, 10000, **limited(0.13)),
            result("find", "cpu", 13.25, 100000, **limited(0.44)), result("succ", "cpu", 14.25, **limited(0.6)),
            result("erase", "cuda", 15.25, **limited(0.31)),
            result("ycsb-A", "cpu/map", 16.25, bytes_per_key=29, **latencies),
            result("ycsb-A", "cpu/hash", 99.25, bytes_per_key=43, **latencies),
            result("ycsb-A", "cpu/peer-judy", 32.5, bytes_per_key=21, **latencies),
            result("ycsb-C", "cpu/map", 18.25, bytes_per_key=29),
            result("ycsb-C", "cpu/peer-judy", 17.25, bytes_per_key=21),
            result("grow", "cpu/map", 21.25), result("grow", "cpu/sorted", 22.25),
            result("splits/up-path", "cpu", 23.25), result("splits/proactive", "cpu", 24.25)]


def check_made(bench, folder):
    """Results whose page is known beforehand. Not the fastest or below half of a limit are: find on the CPU, erase on
    the GPU, workload A and growing by maps; memory, choices and limits are not judged."""
    results = made_results()
    file, page, plots = write(folder / "made.json", results), folder / "made.html", folder / "plots"
    reasons = folder / "reasons.txt"
    reasons.write_text("# why\n\nerase@cu*: a reason <1>\nnone*: of no use\nycsb-?@cpu/map: another\n")
    out = run([REPORT, file, "--output", page, "--reasons", reasons, "--plots", plots]).stdout
    text = page.read_text()
    drawings = drawings_of(text)
    check("results", f"{len(results)} results, {len(drawings)} drawings" in out, out)
    check("reasons counted", "4 operations are not the fastest or below half of their limit; 2 without" in out, out)
    check("reasons given", "a reason &lt;1&gt;" in text and "another" in text and "of no use" not in text)
    judged = text[text.index('id="reasons"'):]
    check("the worst case", "13% of random lines" in judged and "44%" not in judged, judged)
    check("others faster", "peer-judy: 2 times as good" in text and "sorted: 1.05 times as good" in judged)
    for row in (rows[-1] for rows in results):
        check(f"row {row['run_name']}", f"<td>{figure(row['items_per_second'] / 1e6)}</td>" in text)
    for part in ("Limits of this machine", "How long calls take", "Memory", "Beside baselines",
                 "Choices in the designs", "abc-dirty", "8.0 GiB", "c &amp; d", "limits, MB/s",
                 "13 to 90% of random lines", "bytes a key"):
        check(f"page has {part}", part in text)
    titles = re.findall('<h2 id="part[0-9]*">([^<]*)', text)
    check("the order of parts", titles[:2] == ["As used", "Limits of this machine"], str(titles))
    check("nothing empty", "<dt>driver</dt>" not in text and "Experiments of the papers" not in text)
    files = sorted(plots.glob("*.svg"))
    ids = re.findall('figure id="([^"]*)"', text)
    check("a file for each drawing", {path.stem for path in files} == set(ids) and len(set(ids)) == len(drawings))
    for path in files:
        check(f"drawing {path.stem}", xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg"))
    latency = xml.etree.ElementTree.parse(plots / "ycsb-A-latency.svg").getroot()
    check("latencies", sum(part.tag.endswith("circle") for part in latency.iter()) == 9)
    check_plots(bench, folder, file)
    reasons.write_text("no colon\n")
    run([REPORT, file, "--output", page, "--reasons", reasons], status=2)
    run([REPORT, file, "--output", page, "--reasons", folder / "absent"], status=2)


def check_graphs(bench, folder):
    """Rows of graphs below half of their limit, by their names; a peer has no limit, and a time is judged as a rate."""
    results, page, reasons = folder / "graphs.json", folder / "graphs.html", folder / "reasons.txt"
    run([bench, "graph", "insert", "triangles", "--scale", "12", "--runs", "1", "--json", results])
    made = json.loads(results.read_text())
    for row in made["benchmarks"]:
        if "limit" in row:
            row["limit_share"] = 0.9 if row["graph"] == "road" else 0.31
        row["times_peer"] = 2
    results.write_text(json.dumps(made))
    reasons.write_text("graph-insert/mean@cpu/pleach, dir*: latches\ngraph-triangles/*/time@cpu/pleach*: lists\n")
    out = run([REPORT, results, "--output", page, "--reasons", reasons]).stdout
    text = page.read_text()
    check("graphs judged", "14 operations are not the fastest or below half of their limit; 7 without" in out, out)
    check("graphs' shares", "31% of memory bandwidth" in text and "90% of random sectors changed" in text
          and "31%, sorting" in text)
    left = text[text.index('id="reasons"'):]
    check("graphs' reasons", "Why: latches" in text and "Why: lists" in text and "@cpu/pleach, directed" in left
          and "graph-insert/mean@cpu/pleach, undirected" in left and "/time@" not in left and "vectors" not in left,
          left)


def check_plots(bench, folder, file):
    command = [REPORT, file, "--output", folder / "plot.html", "--plot"]
    run([*command, f"find-by-keys={folder}/one.svg"])
    check("one drawing", "<svg" in (folder / "one.svg").read_text())
    check("a name without drawing", "none=x" in run([*command, "none=x"], status=2).stderr)
    run([*command, "none=x", "--plots", folder / "plots"], status=2)
    run([*command, "none"], status=2)
    run([*command, "find-by-keys=/dev/null/file"], status=2)


def check_folder(bench, folder):
    """Files of pleach-bench paper, by their names; and what there is none of."""
    papers = folder / "papers"
    papers.mkdir()
    run([bench, "paper", "--list", "--json", papers / "papers.json"])
    run([REPORT, papers, "--output", "-"], status=2)
    write(papers / "awad-figure-3.2.json", [result("find", "cpu/map", 31.25)])
    write(papers / "awad-figure-4.2.json", [result("find", "cpu", 32.25)])
    write(papers / "awad-figure-4.2-2.json", [result("find", "cpu/v", 33.25)])
    write(papers / "own-maps-2.json", [result("find", "cpu", 34.25)])
    text = run([REPORT, papers, "--output", "-"]).stdout
    left = text[text.index('id="left-out"'):]
    check("papers", all(f"<td>{rate}</td>" in text for rate in (31.25, 32.25, 33.25, 34.25)) and "TITAN V" in text)
    check("papers' order", text.index("awad-figure-3.2:") < text.index("awad-figure-4.2:"))
    check("versions", "versioned" in text)
    listed = re.findall(r"^([a-z][^ :]*): ", run([bench, "paper", "--list"]).stdout, re.M)
    check("papers listed", len(listed) > 30 and "own-maps" in listed)
    check("pleach's own", "Operations</h2>" in text and not re.search("own-[a-z0-9-]*:", text))
    for name in listed:
        there = name in ("awad-figure-3.2", "awad-figure-4.2") or name.startswith("own-")
        check(f"{name} left out", (f"<b>{name}</b>" in left) != there)
    check("why left out", "cannot be run: a profiler" in left and "was not run" in left)


def check_measured(bench, folder):
    """Marks as many as the results; and nothing that a name could break."""
    results, page = folder / "results.json", folder / "page.html"
    run([bench, "find", "batches", "--device", "cpu", "--keys", "3000", "--ops", "5000", "--repeat", "2",
         "--quick", "--json", results])
    made = json.loads(results.read_text())
    check("machine", all(made["context"].get(part) for part in ("commit", "build", "compiler", "cpu", "memory")))
    run([REPORT, results, "--output", page, "--title", "a <b> & c"])
    text = page.read_text()
    marks = sum(part.tag == "circle" or part.get("class", "").startswith("bar ")
                for drawing in drawings_of(text) for part in drawing)
    titled = sum(part.find("title") is not None for drawing in drawings_of(text) for part in drawing)
    medians = sum(row["run_type"] == "aggregate" for row in made["benchmarks"])
    check("marks", marks == titled == medians > 1, f"{marks} and {titled} of {medians}")
    check("numbers", not re.search(r"\b(nan|inf)\b", text))
    check("no network", not re.search(r'(href|src)="?http|url\(|@import', text) and "src=" not in text)
    check("title", "<title>a &lt;b&gt; &amp; c</title>" in text)
    made["benchmarks"][-1]["benchmark"] = made["benchmarks"][-1]["device"] = "<script>"
    results.write_text(json.dumps(made))
    check("escapes", "<script>" not in run([REPORT, results, "--output", "-"]).stdout)
    run([REPORT], status=2)
    run([REPORT, page, "--output", "-"], status=2)
    run([REPORT, results, "--output", folder / "no" / "page.html"], status=2)
    run([REPORT, "--help"])


def check_hostile(_, folder):
    """Files of the right shape with members that are not; the results that are left are on the page."""
    good, page = result("find", "cpu", 5.25), folder / "page.html"
    bad = [{**good[2], "keys": "many", "bits": None, "batch": [1], "dist": 7, "limit": {}, "limit_share": True},
           {**good[2], "latency_p99_ns": "slow", "bytes_per_key": "1", "benchmark": "$find$ _^{", "device": "cpu/$"},
           {**good[2], "benchmark": 3}, {**good[2], "items_per_second": "fast"}, {"aggregate_name": "median"}, 0, None,
           []]
    file = folder / "hostile.json"
    file.write_text(json.dumps({"context": 3, "benchmarks": [*good, *bad]}))
    out = run([REPORT, file, "--output", page]).stdout
    check("hostile members", "3 results," in out and "$find$ _^{" in page.read_text(), out)
    for text in ("", "{", "3", '{"benchmarks": {}}', '{"benchmarks": []}', '{"benchmarks": [{"a": NaN}]}',
                 "[" * 100000):
        file.write_text(text)
        run([REPORT, file, "--output", page], status=2)
    file.write_text(json.dumps({"context": {}, "benchmarks": good}))
    for list_of_papers in ("{", "[]", '{"experiments": 3}', '{"experiments": [3, {"name": 3}]}'):
        (folder / "papers.json").write_text(list_of_papers)
        run([REPORT, file, "--output", page], status=2 if list_of_papers in ("{", "[]") else 0)


def check_single_drawings(_, folder):
    """bench/plot.py: the response times of batches, and the table of a stream."""
    row = {"benchmark": "batch/update", "run_type": "iteration"}
    rows = [{**row, "batch": batch, "items_per_second": 1e6 * batch} for batch in (256, 256, 1024)]
    file, drawing = folder / "batches.json", folder / "drawing.svg"
    file.write_text(json.dumps({"context": {}, "benchmarks": rows}))
    run([PLOT, "batches", "--output", drawing, f"one=thing={file}"], status=2)
    run([PLOT, "batches", "--output", drawing, f"one={file}"])
    check("response times", {"svg", "use"} <= {part.tag.rpartition("}")[2]
                                               for part in xml.etree.ElementTree.parse(drawing).getroot().iter()} | {"svg"})
    others = write(folder / "none.json", [result("find", "cpu", 1)])
    run([PLOT, "batches", "--output", drawing, f"one={others}"], status=2)
    events = folder / "events.txt"
    events.write_text("".join(f"{i} {i + 1 + i % 3} {i}\n" for i in range(50)))
    pleach, _ = commands()
    table = run([pleach, "graph", "stream", events, "--batch", "10"]).stdout
    run([PLOT, "stream", "--output", drawing], text=table)
    check("stream", "triangles" in drawing.read_text() and "events" in drawing.read_text())
    run([PLOT, "stream", "--output", drawing], status=2, text="")
    run([PLOT], status=2)
    run([PLOT, "--help"])


def main():
    _, bench = commands()
    for part in (check_made, check_graphs, check_folder, check_measured, check_hostile, check_single_drawings):
        with tempfile.TemporaryDirectory() as folder:
            part(bench, pathlib.Path(folder))
    return finish()


sys.exit(main())
