"""Drawings of matplotlib as short SVG that serves light and dark pages.

Artists have names: "line s0 other" are classes of the style below. Only artists with a name are kept; each marker of a
line becomes a circle. So a drawing of 20 kilobytes becomes one of three, and a page can choose all its colours.
"""
import html
import io
import re
import xml.etree.ElementTree

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

WIDTH = 480
COLOURS = ("#2f7ed8", "#d9822b", "#3aa655", "#b04ac7", "#d64545", "#17a2a2", "#9a8730", "#8a9099")
OTHER = len(COLOURS) - 1  # grey

# Beside the drawings of a page, and inside those that stand by themselves.
STYLE = (
    "svg{display:block;width:100%;height:auto;color:var(--ink,#1b1f24)}"
    "svg text{fill:currentColor;font:12px system-ui,sans-serif}svg .name{font-weight:600;font-size:14px}"
    "svg .dim{opacity:.7}.grid{stroke:currentColor;stroke-opacity:.15}"
    ".whisker{stroke:currentColor;stroke-width:1.3;stroke-opacity:.75;fill:none}"
    + "".join(f".s{i}{{fill:{c}}}.line.s{i}{{stroke:{c}}}" for i, c in enumerate(COLOURS))
    + ".line{fill:none!important;stroke-width:2.2}.other{stroke-dasharray:5 3}"
    ".share{fill:currentColor;fill-opacity:.25}\n")
ALONE_STYLE = "@media(prefers-color-scheme:dark){svg{--ink:#e6e9ed}}\n"

matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "pleach", "font.size": 12, "path.simplify": False,
                            "axes.spines.left": False, "axes.spines.right": False, "axes.spines.top": False,
                            "axes.spines.bottom": False})


def escape(words):
    """Text with what HTML has a meaning for replaced, and what XML has none for left out."""
    return html.escape(re.sub(r"[\x00-\x09\x0b-\x1f\ufffe\uffff]", "", words))


def new_figure(height):
    """One unit is one pixel of a page."""
    figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    FigureCanvasSVG(figure)
    return figure


def add_axes(figure, left, right, top, bottom):
    """Axes between pixels, which count from the upper left corner."""
    height = figure.get_figheight() * 72
    axes = figure.add_axes([left / WIDTH, 1 - bottom / height, (right - left) / WIDTH, (bottom - top) / height])
    axes.patch.set_visible(False)
    return axes


def plain(words):
    """A text for matplotlib, which takes what is between dollars for a formula."""
    return re.sub(r"[\x00-\x1f]", " ", words).replace("$", r"\$")


def coordinate(text):
    return f"{float(text):.1f}".removesuffix(".0")


def short_path(text):
    return re.sub(r" ?([MLCQzZ]) ?", r"\1", re.sub(r"-?\d[\d.e-]*", lambda part: coordinate(part[0]),
                                                  " ".join(text.split())))


class Short:
    """What is kept of a drawing."""

    def __init__(self, titles):
        self.titles = {name: iter(some) for name, some in titles.items()}
        self.parts = []

    def shape(self, tag, name, where):
        classes, _, which = name.partition("|")
        title = next(self.titles[which], None) if which else None
        end = f"><title>{escape(title)}</title></{tag}>" if title else "/>"
        self.parts.append(f'<{tag} class="{classes}" {where}{end}\n')

    def add(self, element, name):
        tag = element.tag.rpartition("}")[2]
        identity = element.get("id", "")
        if identity.startswith("="):
            name = identity[1:]
        if tag in ("defs", "metadata") or element.text is None and not len(element) and tag == "g":
            return
        if tag == "path" and name:
            self.shape("path", name, f'd="{short_path(element.get("d"))}"')
        elif tag == "use" and name:
            where = f'cx="{coordinate(element.get("x"))}" cy="{coordinate(element.get("y"))}" r="3.2"'
            self.shape("circle", name, where)
        elif tag == "text" and name:
            anchor = re.search(r"text-anchor: (middle|end)", element.get("style", ""))
            self.parts.append(f'<text{"" if name == "text" else f" class={chr(34)}{name}{chr(34)}"} '
                              f'x="{coordinate(element.get("x"))}" y="{coordinate(element.get("y"))}"'
                              + (f' text-anchor="{anchor[1]}"' if anchor else "")
                              + f'>{escape(element.text or "")}</text>\n')
        for child in element:
            self.add(child, name)


def body_of(figure, titles):
    """The drawing without what is around it; titles of marks by the name after their classes."""
    for text in figure.findobj(matplotlib.text.Text):
        if not text.get_gid():
            text.set_gid("=text")
    made = io.StringIO()
    figure.canvas.print_svg(made)
    short = Short(titles)
    short.add(xml.etree.ElementTree.fromstring(made.getvalue()), "")
    return "".join(short.parts)


def whole(body, height, title, alone=False):
    """By itself in a file, a drawing has its own style, and a title inside."""
    above = 24 if alone else 0
    space = 'xmlns="http://www.w3.org/2000/svg" ' if alone else ""
    head = (f'<svg {space}viewBox="0 {-above} {WIDTH} {height + above:.0f}" role="img">\n'
            f'<title>{escape(title)}</title>\n')
    if alone:
        head += (f'<style>{STYLE}{ALONE_STYLE}</style>\n'
                 f'<text class="name" x="0" y="-8">{escape(title)}</text>\n')
    return f"{head}{body}</svg>\n"
