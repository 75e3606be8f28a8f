"""The page around the drawings: machines, contents, parts, figures; and which drawings a group of points gets."""
import collections
import itertools
import os
import re

from files import text

from . import drawings, points as p, verdicts
from .svg import STYLE, escape, whole

LINE_POINTS, CROWDED = 3, 8
MACHINE = ("pleach", "commit", "build", "compiler", "cpu", "simd", "memory", "gpu", "driver")

PAGE_STYLE = """\
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--faint:#d8dde3;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ed;--paper:#12161b;--faint:#333b45;--card:#1a2027}}
body{margin:0 auto;max-width:66rem;padding:1rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);\
background:var(--paper)}
h1{font-size:1.6rem}h2{font-size:1.3rem;margin:2rem 0 .5rem}h3{font-size:1.05rem;margin:0 0 .5rem}
.part{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));gap:1rem;\
grid-auto-flow:row dense;align-items:start}
section{background:var(--card);border-radius:.5rem;padding:1rem;min-width:0}\
section:has(figure+figure){grid-column:1/-1}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:1.2rem}
figure{margin:0}figcaption{font-size:.9rem;opacity:.8}.why{font-size:.85rem;overflow-wrap:anywhere}
details{margin-top:.5rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem}
td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid var(--faint)}
td:first-child,th:first-child{text-align:left}dl{display:grid;grid-template-columns:auto 1fr;gap:.1rem 1rem}
dt{opacity:.7}dd{margin:0;white-space:pre-line;overflow-wrap:anywhere}
nav{columns:15rem;font-size:.85rem}nav a{display:block;color:inherit}
"""

# After that of drawings: they are narrow there, so that their letters must be larger.
PHONE_STYLE = """\
@media(max-width:40rem){svg text{font-size:14.5px}svg .dim{font-size:13.5px}section{padding:.7rem}\
.why{padding-left:1.2rem}}
"""

INTRODUCTION = (
    "Millions of operations a second, unless a heading says otherwise: medians, and from the lowest to the highest "
    "repeat. Lines of others are dashed, their bars grey. All answers were checked outside the clock; data on a GPU "
    "lies in its memory, and transfers are counted under 'As used' only. Shares are of what memory allows, measured "
    "in the same run; there is more than all of it where caches help.")


# ---- drawings --------------------------------------------------------------------------------------------------------

def spelled(words):
    """The name of a drawing's file: letters, digits and points; the rest is hyphens."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", words.replace("[]", "-array")).strip("-")


class Drawings:
    """All drawings of a page, by their names."""

    def __init__(self):
        self.alone = {}  # as files of their own

    def add(self, draw, title, caption):
        """A figure of the page. No two have the same name."""
        body, height = draw()
        names = itertools.chain([spelled(title)], (f"{spelled(title)}-{number}" for number in itertools.count(2)))
        name = next(name for name in names if name not in self.alone)
        self.alone[name] = whole(body, height, title, alone=True)
        caption = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
        return f'<figure id="{name}">{caption}\n{whole(body, height, title)}</figure>\n'

    def panels(self, some, panels, title, over, draw):
        """One drawing for all points that are the same in `panels`."""
        made = []
        for panel in p.classes(some, panels):
            caption = p.label(panel[0], panels) if panels else ""
            whole_title = title + (f" by {p.TITLES[over]}" if over else "") + (f": {caption}" if caption else "")
            made.append(self.add(lambda panel=panel: draw(panel), whole_title,
                                 caption or (f"by {p.TITLES[over]}" if over else "")))
        return "".join(made)

    def lines(self, some, names, over, title):
        series = names - {over}
        panels = series & {"panel"}
        for name in ("source", "bits", "updates", "threads", "dist", "keys", "batch", "place"):
            if max(len(p.classes(panel, series)) for panel in p.classes(some, panels)) > CROWDED:
                panels |= series & {name}
        return self.panels(some, panels, title, over,
                           lambda panel: drawings.draw_lines(panel, over, series - panels))

    def bars(self, some, names, title):
        """Stores beside each other, the best first; what else differs makes other drawings."""
        limits = some[0].part == p.LIMITS
        panels = names - {"store", "place"} if "store" in names and not limits else set()
        labels = names - panels | ({"store"} if limits else set())
        in_order = some[0].operation == "graph-load"  # of what is varied
        if not in_order and (panels or labels == {"store"}):
            some = sorted(some, key=lambda point: point.median * (1 if p.less_is_better(point) else -1))
        return self.panels(some, panels, title, None, lambda panel: drawings.draw_bars(panel, labels))

    def of_group(self, some, title):
        """Lines over every dimension that has a line of at least three points, else bars; several of them where one
        would be crowded."""
        names = p.telling(some)
        if some[0].part == p.LATENCY:
            return self.panels(some, names - {"store"}, f"{title} latency", None,
                               lambda panel: drawings.draw_latencies(panel, {"store"}))
        overs = [name for name in ("batch", "keys", "updates", "threads", "dist")
                 if name in names and p.longest_line(some, name, names) >= LINE_POINTS]
        return "".join(self.lines(some, names, over, title) for over in overs) or self.bars(some, names, title)


# ---- parts of the page -----------------------------------------------------------------------------------------------

def entry(name, words):
    return f"<dt>{name}</dt><dd>{escape(words)}</dd>\n" if words else ""


def machines(files):
    """Of all but the first machine and commit only what differs from it, with the files that are of them."""
    made, first = [], files[0][1]
    groups = collections.OrderedDict()
    for path, context in files:
        groups.setdefault(tuple(text(context, name) for name in MACHINE), []).append((path, context))
    for some in groups.values():
        context = some[0][1]
        entries = "".join(entry(name, text(context, name)) for name in ("date", *MACHINE)
                          if context is first or text(context, name) != text(first, name))
        if context is not first:
            entries = entry("from", ", ".join(os.path.basename(path) for path, _ in some)) + entries
        made.append(f"<dl>\n{entries}</dl>\n")
    return "".join(made)


def table(some):
    names = set(p.DIMS) - {"keys", "batch", "threads"}
    if len(p.classes(some, {"source"})) == 1:
        names -= {"source"}
    rows = []
    for point in some:
        sizes = [p.count(point.dims[name]) if point.dims[name] else "" for name in ("keys", "batch", "threads")]
        cells = [p.label(point, names), *sizes, *map(p.figure, (point.median, point.least, point.most)),
                 f"{100 * point.limit_share:.0f}%, {point.limit}" if point.limit else "",
                 ", ".join(f"{100 * quantile:.6g}%: {time:.0f}" for quantile, time in point.latencies)]
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>\n")
    heads = ("which", "keys", "at once", "threads", some[0].unit, "lowest", "highest", "of its limit", "latencies, ns")
    return ("<details><summary>figures</summary><div class=\"wide\"><table><tr>"
            + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>\n" + "".join(rows)
            + "</table></div></details>\n")


def verdict(point, why):
    sizes = p.label(point, {"panel", "bits", "keys", "batch", "threads", "dist"})
    return (f"<li><b>{escape(verdicts.name_of(point))}</b> {escape(point.verdict)} ({escape(sizes)})"
            + (f". Why: {escape(why)}" if why else "") + "</li>\n")


def verdicts_of(some):
    made, before = [], ""
    for point in verdicts.worst(some):
        made.append(verdict(point, "as above" if point.why and point.why == before else point.why))
        before = point.why
    return f"<ul class=\"why\">\n{''.join(made)}</ul>\n" if made else ""


def unexplained(some):
    flagged = verdicts.worst(some)
    left = [point for point in flagged if not point.why]
    return ("<h2 id=\"reasons\">Not the fastest, or below half of a limit</h2>\n"
            f"<p>{len(flagged)} operations; {len(left)} without a reason{':' if left else '.'}</p>\n"
            + (f"<ul>\n{''.join(verdict(point, '') for point in left)}</ul>\n" if left else ""))


def left_out(experiments, shown):
    """Why experiments of the papers have no results here."""
    made = []
    for experiment in experiments:
        if not text(experiment, "paper") or text(experiment, "name") in shown:
            continue
        can = [name for name in ("cpu", "gpu") if experiment.get(name)]
        why = "was not run" if can else "cannot be run"
        if len(can) == 1:
            why += f"; it runs on a {can[0].upper()} only"
        if len(can) < 2 and text(experiment, "note"):
            why += f": {text(experiment, 'note')}"
        made.append(f"<li><b>{escape(text(experiment, 'name'))}</b> {escape(text(experiment, 'what'))} "
                    f"({escape(text(experiment, 'source'))}): {escape(why)}</li>\n")
    return ("<h2 id=\"left-out\">Experiments of the papers without results here</h2>\n"
            f"<ul>\n{''.join(made)}</ul>\n") if made and shown else ""


# ---- the page --------------------------------------------------------------------------------------------------------

class Page:
    """Made of points in their order, of the files' names and contexts, and of the papers' experiments."""

    def __init__(self, title, some, files, experiments):
        self.title, self.points, self.files, self.experiments = title, some, files, experiments
        self.drawings = Drawings()

    def experiment_of(self, part):
        return self.experiments[part - p.PAPERS] if part >= p.PAPERS else None

    def part_title(self, part):
        experiment = self.experiment_of(part)
        return f"{text(experiment, 'name')}: {text(experiment, 'what')}" if experiment else p.PARTS[part]

    def group(self, number, some):
        """One operation, in one unit."""
        first, experiment = some[0], self.experiment_of(some[0].part)
        name = (f"{text(experiment, 'name')} " if experiment else "") + first.operation
        if first.unit != "M/s":
            name += f", {first.unit}"
        less = "; less is better" if p.less_is_better(first) else ""
        return (f'<section id="p{number}"><h3>{escape(name)}{less}</h3>\n'
                f'<div class="plots">\n{self.drawings.of_group(some, name)}</div>\n{verdicts_of(some)}{table(some)}'
                '</section>\n')

    def part(self, part, some):
        experiment = self.experiment_of(part)
        about = "".join(entry(name, text(experiment, member)) for name, member in
                        (("source", "source"), ("the paper", "paper"), ("note", "note"))) if experiment else ""
        groups = (list(group) for _, group in itertools.groupby(some, key=lambda point: (point.operation, point.unit)))
        return (f'<h2 id="part{part}">{escape(self.part_title(part))}</h2>\n'
                + (f"<dl>\n{about}</dl>\n" if about else "")
                + f'<div class="part">\n{"".join(self.group(f"{part}-{i}", group) for i, group in enumerate(groups))}'
                '</div>\n')

    def whole(self):
        parts = [(part, list(some)) for part, some in itertools.groupby(self.points, key=lambda point: point.part)]
        shown = {text(self.experiment_of(part), "name") for part, _ in parts if part >= p.PAPERS}
        left = left_out(self.experiments, shown)
        contents = "".join(f'<a href="#part{part}">{escape(self.part_title(part))}</a>\n' for part, _ in parts)
        contents += '<a href="#reasons">Not the fastest, or below half of a limit</a>\n'
        if left:
            contents += '<a href="#left-out">Experiments of the papers without results here</a>\n'
        return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
                '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
                f"<title>{escape(self.title)}</title>\n<style>\n{PAGE_STYLE}{STYLE}{PHONE_STYLE}</style>\n"
                f"</head><body>\n<h1>{escape(self.title)}</h1>\n<p>{INTRODUCTION}</p>\n{machines(self.files)}<nav>{contents}</nav>\n"
                + "".join(self.part(part, some) for part, some in parts) + unexplained(self.points) + left
                + "</body></html>\n")
