"""The drawings: bars, lines over a size, and latencies over percentiles. What is of others is dashed or grey."""
import math

from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator

from . import points as p, svg

TOP, BOTTOM, LEFT, RIGHT = 14, 214, 52, svg.WIDTH - 14
LEGEND, LEGEND_ROW, LETTER = BOTTOM + 42, 17, 7
MOST_SERIES = 32  # on one drawing; the table has them all
ROW, BAR = 38, 13
FLAT, FEW = 25, 200  # how many times the highest is above the lowest


def spread(point):
    return f"{p.figure(point.median)} ({p.figure(point.least)} to {p.figure(point.most)}) {point.unit}"


# ---- bars ------------------------------------------------------------------------------------------------------------

def draw_bars(points, labels):
    """Each bar below its label, with the spread of its repeats and its part of a limit. A bar of its own colour for
    pleach on each kind of machine. The thin one behind reaches to the limit, if that is on the paper."""
    height = ROW * len(points) + 4
    figure = svg.new_figure(height)
    axes = svg.add_axes(figure, 0, svg.WIDTH, 0, height)
    axes.set(xlim=(0, svg.WIDTH), ylim=(height, 0))
    axes.axis("off")
    scale = (svg.WIDTH - 66) / (max(point.most for point in points) or 1)
    for i, point in enumerate(points):
        top, width = ROW * i + 18, max(point.median * scale, 1)
        axes.text(0, top - 6, svg.plain(p.label(point, labels)))
        if point.limit:
            axes.text(svg.WIDTH, top - 6, svg.plain(f"{100 * point.limit_share:.0f}% of {point.limit}"), ha="right",
                      gid="=dim")
        if point.limit_share > 0:
            axes.barh(top + BAR + 1, min(width / point.limit_share, svg.WIDTH), 3, align="edge")[0].set_gid("=share")
        colour = svg.OTHER if not point.own else 1 if point.place.startswith("cuda") else 0
        axes.barh(top, width, BAR, align="edge")[0].set_gid(f"=bar s{colour}|{i}")
        if point.most > point.least:
            middle = top + BAR / 2
            axes.plot([point.least * scale, point.most * scale], [middle, middle], gid="=whisker")
        axes.text(max(point.most * scale, width) + 6, top + 11, p.figure(point.median))
    return svg.body_of(figure, {str(i): [spread(point)] for i, point in enumerate(points)}), height


# ---- axes ------------------------------------------------------------------------------------------------------------

def draw_y(axes, low, high, unit, factors):
    """From nothing on; or by factors."""
    axes.set_yscale("log" if factors else "linear")
    axes.set_ylim(low, high)
    few = high <= FEW * low
    marks = (LogLocator(subs=(1, 2, 5) if few else (1,), numticks=12) if factors
             else MaxNLocator(5, steps=(1, 2, 5, 10))).tick_values(low, high)
    marks = [mark for mark in marks if low <= mark <= high * 1.0001]
    words = [p.figure(mark) if mark < 1e5 else p.count(mark) for mark in marks]  # more digits have no room there
    set_marks(axes, axes.yaxis, marks, words)
    axes.figure.text(0, 1 - 9 / (72 * axes.figure.get_figheight()),
                     svg.plain(unit + (", by factors" if factors else "")), gid="=dim")


def set_marks(axes, axis, marks, words):
    axis.set_ticks(marks)
    axis.set_ticks([], minor=True)
    axis.set_ticklabels([svg.plain(text) for text in words])
    axes.tick_params(axis="x", length=0, pad=7)
    axes.tick_params(axis="y", length=0, pad=5)
    axis.grid(True)
    for line in axis.get_gridlines():
        line.set_gid("=grid")
    for text in axis.get_ticklabels():
        text.set_gid("=dim")


def draw_x(axes, places, words, title):
    """Marks at those places, without any that would touch the one before it."""
    kept, free_from = [], 0
    for place, text in zip(places, words):
        pixel, half = axes.transData.transform((place, axes.get_ylim()[1]))[0], len(text) * LETTER / 2
        if pixel - half >= free_from:
            kept.append((place, text))
            free_from = pixel + half + 4
    set_marks(axes, axes.xaxis, [place for place, _ in kept], [text for _, text in kept])
    axes.set_xlabel(title, gid="=dim", labelpad=4)


def add_legend(figure, series, words):
    handles = [Line2D([], [], linewidth=2) for _ in series]
    height = figure.get_figheight() * 72
    legend = figure.legend(handles, [svg.plain(text) for text in words], loc="upper left", frameon=False, fontsize=12,
                           bbox_to_anchor=(LEFT / svg.WIDTH, 1 - LEGEND / height), borderaxespad=0, borderpad=0,
                           handlelength=1.5, handletextpad=0.5, labelspacing=LEGEND_ROW / 12 - 0.9)
    for i, (handle, points) in enumerate(zip(legend.get_lines(), series)):
        handle.set_gid("=" + line_class(i, points))


def line_class(i, points):
    return f"line s{i % len(svg.COLOURS)}{'' if points[0].own else ' other'}"


def add_series(axes, i, points, x, y):
    axes.plot(x, y, gid="=" + line_class(i, points))
    axes.plot(x, y, linestyle="none", marker="o", gid=f"=s{i % len(svg.COLOURS)}|{i}")


def begin(series):
    height = LEGEND + len(series) * LEGEND_ROW + 6
    figure = svg.new_figure(height)
    return figure, svg.add_axes(figure, LEFT, RIGHT, TOP, BOTTOM), height


def finish(figure, titles, height):
    for artist in figure.findobj():
        artist.set_clip_on(False)
    return svg.body_of(figure, {str(i): some for i, some in enumerate(titles)}), height


# ---- lines -----------------------------------------------------------------------------------------------------------

def shares(points):
    """The parts of a limit that the points of a line reach."""
    some = [point for point in points if point.limit]
    if not some:
        return ""
    least, most = (100 * pick(point.limit_share for point in some) for pick in (min, max))
    return f": {least:.0f}" + (f" to {most:.0f}" if most > least else "") + f"% of {some[-1].limit}"


def draw_lines(points, over, labels):
    """A line for each value of the labels."""
    points = [point for point in points if point.dims[over] is not None]
    if over == "dist":
        order = {value: i for i, value in enumerate(dict.fromkeys(point.dims[over] for point in points))}
    else:
        order = {value: value for value in sorted({point.dims[over] for point in points})}
        points.sort(key=lambda point: point.dims[over])
    series = p.classes(points, labels)[:MOST_SERIES]
    figure, axes, height = begin(series)
    low, high = min(order.values()), max(order.values())
    if over in ("keys", "batch", "threads") and high >= 8 * low > 0:
        axes.set_xscale("log")
    axes.margins(x=8 / (RIGHT - LEFT - 16))
    for i, line in enumerate(series):
        x = [order[point.dims[over]] for point in line]
        add_series(axes, i, line, x, [point.median for point in line])
        whiskers = [point for point in line if point.most > point.least]
        axes.plot([order[point.dims[over]] for point in whiskers for _ in range(3)],
                  [value for point in whiskers for value in (point.least, point.most, math.nan)],
                  gid="=whisker", zorder=1)
    least = min(point.median for point in points)
    most = max(point.most for point in points) or 1
    factors = 0 < FLAT * least < most
    draw_y(axes, least / 1.3 if factors else 0, 1.08 * most, points[0].unit, factors)
    words = order if over == "dist" else [p.count(value) if value else "0" for value in order]
    draw_x(axes, list(order.values()), list(words), p.TITLES[over])
    add_legend(figure, series, [p.label(line[0], labels) + shares(line) for line in series])
    return finish(figure, [[spread(point) for point in line] for line in series], height)


def nines(quantile):
    """Where a quantile stands: as many steps from the left as it has nines."""
    return -math.log10(1 - min(quantile, 0.9999999))


def draw_latencies(points, labels):
    """A line for each point."""
    series = [[point] for point in points[:MOST_SERIES]]
    figure, axes, height = begin(series)
    times = [time for point in points for _, time in point.latencies]
    quantiles = sorted({quantile for point in points for quantile, _ in point.latencies})
    axes.set_xlim(-0.1, nines(quantiles[-1]) * 1.06)
    for i, line in enumerate(series):
        add_series(axes, i, line, *zip(*((nines(quantile), time) for quantile, time in line[0].latencies)))
    draw_y(axes, min(times) / 1.2, 1.2 * max(times), "ns", True)
    draw_x(axes, [nines(quantile) for quantile in quantiles], [f"{100 * quantile:.6g}%" for quantile in quantiles],
           "calls that take at most so long")
    add_legend(figure, series, [p.label(line[0], labels) for line in series])
    return finish(figure, [[f"{time:.4g} ns" for _, time in line[0].latencies] for line in series], height)
