"""Results as points: what was measured, of which structure, where, and with which sizes.

A point is the median of one result. Its dimensions tell it apart from others; one that does not apply is None."""
import copy
import dataclasses
import math
import os
import re

from files import Failed, number, text

# In the order in which they are told: which structure or form of it, cpu or cuda, which graph, and sizes.
DIMS = ("store", "place", "panel", "bits", "keys", "updates", "dist", "threads", "batch", "source")
TITLES = {"store": "store", "place": "device", "panel": "of", "bits": "bits", "keys": "keys", "updates": "updates, %",
          "dist": "distribution", "threads": "threads", "batch": "operations in a call", "source": "file"}
IN_ORDER = ("panel", "place", "bits", "keys", "updates", "threads", "batch", "dist", "store", "source")

# Parts of the page, in their order; after the last one come the papers' experiments.
PARTS = ("As used", "Limits of this machine", "Operations", "Mixed operations", "YCSB", "How long calls take", "Memory",
         "Hash tables", "Graphs", "Beside baselines", "Choices in the designs")
AS_USED, LIMITS, OPERATIONS, MIXED, YCSB, LATENCY, MEMORY, HASH, GRAPHS, BASELINES, CHOICES = range(len(PARTS))
PAPERS = len(PARTS)

# Structures that are others', or made for comparison.
OTHERS = ("peer-", "base-", "sorted", "merge-tree", "coupled", "rebuild", "lockfree", "vectors", "merged rows",
          "GraphBLAS")
CHOICE = ("latch/", "splits/", "loads/", "eirene/", "reclaim/", "palm-")
BASELINE_STORES = ("map", "map-batches", "sorted", "rebuild", "merge-tree", "coupled")
MIXED_STORES = ("map/", "map[]/", "skiplist16/", "skiplist32/", "skiplist16[]/", "skiplist32[]/", "lockfree/")
FORMS = {"v": "versioned", "s": "beside a snapshot", "s16": "skiplist16", "s32": "skiplist32"}


@dataclasses.dataclass
class Point:
    """A median, with all that is known of it."""
    benchmark: str  # as the file has them
    device: str
    unit: str  # M/s, or what the file says
    median: float
    least: float
    most: float
    limit: str  # the limit that binds; "": not told
    limit_share: float
    times_peer: float  # how many times as fast as the peer that the file itself names; 0: none
    bytes_per_key: float
    latencies: list  # (0.99, ns)
    dims: dict
    operation: str = ""  # what is measured, without the structure that does it
    part: int = OPERATIONS
    own: bool = True  # of pleach's
    verdict: str = ""  # not the fastest, or below half of its limit
    badness: float = 0  # how many times too slow for that
    why: str = ""  # the reason given

    @property
    def place(self):
        return self.dims["place"] or ""


# ---- names -----------------------------------------------------------------------------------------------------------

def is_own(store):
    return not any(part.startswith(OTHERS) for part in store.split(", ", 1))


def is_choice(benchmark):
    """Of pleach-bench ablations: "splits/up-path" is one of the ways to split."""
    return benchmark.startswith(CHOICE)


def is_beside_baselines(benchmark, device):
    """Of pleach-bench baselines, which names a store for each device."""
    return device.partition("/")[2] in BASELINE_STORES and not benchmark.startswith("ycsb")


def take_store(name):
    """The operation and the store: "map/contains" is "contains" by a map, "batch/find" is "batches/find" by batches."""
    if name.startswith(("hash/map/", "hash/set/")):
        return "hash/" + name[9:], "hash " + name[5:8]
    if name in ("map/put", "map/find", "map/find-miss", "map/erase-half"):
        return "hash/" + name[4:] + ("-sized" if name == "map/put" else ""), "map"  # it has its memory ready too
    if name.startswith(("batch/", "array/")):
        return "batches/" + name[6:], name[:5]
    if is_choice(name):
        return tuple(name.rsplit("/", 1)) if "/" in name else (name, "")
    for store in MIXED_STORES:
        if name.startswith(store):
            return name[len(store):], store[:-1]
    return name, ""


def take_updates(name, store):
    """"apply/update/5%" is "apply" with updates, 5% of them; "10-10-80" a mix with 20% of them."""
    mix = re.match(r"(\d+)-(\d+)-(\d+)", name)
    if mix and sum(map(int, mix.groups())) == 100:
        return "mix" + name[mix.end():], store, int(mix[1]) + int(mix[2])
    share = re.fullmatch(r"(.*)/([\d.]+)%", name)
    if share is None or name.startswith("erase/"):  # there it is a share of the keys
        return name, store, None
    name = share[1]
    if not store and name.startswith(("apply/", "queue/")):
        name, store = name.split("/", 1)
    return name, store, float(share[2])


def part_of(point):
    name = point.benchmark
    if is_choice(name):
        return CHOICES
    if is_beside_baselines(name, point.device):
        return BASELINES
    for starts, part in (("limits/", LIMITS), (("long-", "range-one"), AS_USED), ("ycsb", YCSB), ("graph-", GRAPHS)):
        if name.startswith(starts):
            return part
    if point.operation.startswith("hash/"):
        return HASH
    plain = point.operation == name or point.operation.startswith("batches/")
    return OPERATIONS if plain or name.startswith(("apply/", "queue/", "single")) else MIXED


def name_point(point, row, context):
    """Sets what is measured, and of what."""
    if text(row, "experiment") and "graph" in row:
        point.operation = "graph-" + text(row, "experiment")
        point.dims.update(panel=text(row, "graph") or None, store=point.device, place=text(context, "device", "cpu"),
                          threads=None)
        point.own = is_own(point.device)
        return
    updates = None
    if point.benchmark.startswith("limits/"):
        point.operation, store = "limits", point.benchmark[7:]
        if store.startswith("bytes"):
            point.unit = "MB/s"
    else:
        point.operation, store = take_store(point.benchmark)
        point.operation, store, updates = take_updates(point.operation, store)
    place, slash, form = point.device.partition("/")
    if slash:
        store = ", ".join(filter(None, (store, FORMS.get(form, form))))
    point.dims.update(store=store or None, place=place, updates=updates)
    if not place.startswith("cpu"):
        point.dims["threads"] = None
    point.own = is_own(store)


# ---- reading ---------------------------------------------------------------------------------------------------------

def value_of(row):
    """Millions a second; or milliseconds, of results that are times."""
    rate = number(row, "items_per_second")
    if rate > 0:
        return rate / 1e6
    return number(row, "real_time") if text(row, "time_unit") == "ms" else 0


def is_median(row):
    return (text(row, "aggregate_name") == "median" and value_of(row) > 0 and isinstance(row.get("benchmark"), str)
            and isinstance(row.get("run_name"), str))


def latencies_of(row):
    """"latency_p999_ns" is the quantile 0.999."""
    found = []
    for name in row:
        digits = re.fullmatch(r"latency_p(\d{1,15})_ns", name)
        if digits and number(row, name) > 0:
            found.append((float("0." + digits[1]), number(row, name)))
    return found[:8]


def read_points(path, context, rows):
    """Those of a file. The repeats that a median is of are just before it."""
    points, repeats = [], []
    for row in rows:
        if not is_median(row):
            repeats.append(row)
            continue
        median = value_of(row)
        values = [value_of(other) for other in repeats
                  if text(other, "run_type") == "iteration" and text(other, "run_name") == row["run_name"]]
        values = [value for value in values if value > 0] + [median]
        dims = dict.fromkeys(DIMS)
        for name in ("bits", "keys", "threads", "batch"):
            dims[name] = number(row, name) or None
        dims["dist"] = text(row, "dist") or None
        dims["source"] = path
        point = Point(row["benchmark"], text(row, "device", "cpu"), text(row, "unit", "M/s"), median, min(values),
                      max(values), text(row, "limit"), number(row, "limit_share"), number(row, "times_peer"),
                      number(row, "bytes_per_key"), latencies_of(row), dims)
        name_point(point, row, context)
        point.part = part_of(point)
        points.append(point)
        repeats = []
    if not points:
        raise Failed(f"{path}: has no results of 'pleach-bench --json'")
    return points


# ---- points made of others -------------------------------------------------------------------------------------------

def memory_points(points):
    """A store's memory does not depend on what it is asked, nor by which form of call."""
    made = {}
    for point in points:
        if point.bytes_per_key <= 0:
            continue
        more = copy.deepcopy(point)
        store = more.dims["store"] or ""
        more.dims["store"] = store.partition("[]" if "[]" in store else "-apply")[0] or None
        more.dims.update(threads=None, batch=None, dist=None, updates=None)
        more.part, more.operation, more.unit, more.limit, more.latencies = MEMORY, "memory", "bytes a key", "", []
        more.median = more.least = more.most = more.bytes_per_key
        made.setdefault(tuple(more.dims[name] for name in ("store", "place", "keys", "bits")), more)
    return list(made.values())


def merge_limits(points):
    """Limits that were measured several times become one point."""
    kept, known = [], {}
    for point in points:
        key = (point.unit, *(point.dims[name] for name in DIMS if name != "source"))
        if point.part != LIMITS or key not in known:
            kept.append(point)
            if point.part == LIMITS:
                known[key] = point
            continue
        known[key].least = min(known[key].least, point.least)
        known[key].most = max(known[key].most, point.most)
    return kept


def latency_points(points):
    """Points that tell latencies come twice: among the rates, and among the latencies."""
    made = [copy.deepcopy(point) for point in points if point.latencies]
    for point in made:
        point.part = LATENCY
    return made


def sort_points(points):
    """By part, operation and dimensions; texts in the order of their appearance."""
    words = {}
    for point in points:
        for name in ("dist", "source", "panel", "place", "store"):
            words.setdefault(point.dims[name], len(words))

    def rank(value):
        if value is None:
            return -1
        return words[value] if isinstance(value, str) else value

    points.sort(key=lambda point: (point.part, point.operation, point.unit,
                                   *(rank(point.dims[name]) for name in IN_ORDER)))


# ---- what tells points apart -----------------------------------------------------------------------------------------

def values_of(point, names):
    return tuple(point.dims[name] for name in sorted(names))


def classes(points, names):
    """Lists of points that have the same values, in the order of their first."""
    found = {}
    for point in points:
        found.setdefault(values_of(point, names), []).append(point)
    return list(found.values())


def telling(points):
    """The dimensions that are needed to tell points apart. One that follows from the others, as the size of a batch
    from the form of a call, is not needed. The structure and the place always are, if they differ."""
    names = {name for name in DIMS if len(classes(points, {name})) > 1}
    for name in ("source", "batch", "threads", "dist", "updates", "keys", "bits"):
        if len(classes(points, names - {name})) == len(classes(points, names)):
            names -= {name}
    return names


def longest_line(points, over, names):
    """How many values of a dimension there are where the others are the same."""
    return max(len(classes(line, names | {over})) for line in classes(points, names - {over}))


def count(value):
    """As people write it: 1,000,000 is 1M, and 65,536 is 2^16."""
    if value >= 256 and math.frexp(value)[0] == 0.5:
        return f"2^{math.frexp(value)[1] - 1}"
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.4g}{name}"
    return f"{value:.4g}"


def figure(value):
    """Four digits, or whole with a comma before each three."""
    return f"{value:,.0f}" if 999.5 <= abs(value) < 1e15 else f"{value or 0:.4g}"


def word(point, name):
    value = point.dims[name]
    if name == "source":
        return os.path.basename(value).removesuffix(".json")
    if isinstance(value, str):
        return value
    if name == "bits":
        return f"{count(value)}-bit"
    if name == "updates":
        return f"{value:.4g}% updates"
    if name == "batch":
        return f"{count(value)} at once"
    return f"{count(value)} {name if value != 1 or name == 'keys' else 'thread'}"


def label(point, names):
    """Those dimensions as words: "map, 64-bit, 2 threads"."""
    words = [word(point, name) for name in DIMS if name in names and point.dims[name] is not None]
    return ", ".join(words) or point.place


def less_is_better(point):
    """Of times and bytes, where rates are better when they are higher."""
    return point.unit == "ms" or point.unit.startswith("bytes")
