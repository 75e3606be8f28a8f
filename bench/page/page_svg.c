/* page_svg.c - what all drawings have in common. Colours are classes, s0 to s7 for series, so that one drawing
 * serves light and dark pages. */
#include <math.h>

#include "page.h"

/* Beside the drawings of a page, and inside those that stand by themselves. */
const char svg_style[] =
    "svg{display:block;width:100%;height:auto;color:var(--ink,#1b1f24)}"
    "svg text{fill:currentColor;font:12px system-ui,sans-serif}svg .name{font-weight:600;font-size:14px}"
    "svg .dim{opacity:.7}.grid{stroke:currentColor;stroke-opacity:.15}"
    ".whisker{stroke:currentColor;stroke-width:1.3;stroke-opacity:.75;fill:none}"
    ".s0{fill:#2f7ed8}.s1{fill:#d9822b}.s2{fill:#3aa655}.s3{fill:#b04ac7}"
    ".s4{fill:#d64545}.s5{fill:#17a2a2}.s6{fill:#9a8730}.s7{fill:#8a9099}"
    ".line.s0{stroke:#2f7ed8}.line.s1{stroke:#d9822b}.line.s2{stroke:#3aa655}.line.s3{stroke:#b04ac7}"
    ".line.s4{stroke:#d64545}.line.s5{stroke:#17a2a2}.line.s6{stroke:#9a8730}.line.s7{stroke:#8a9099}"
    ".line{fill:none!important;stroke-width:2.2}.other{stroke-dasharray:5 3}"
    ".share{fill:currentColor;fill-opacity:.25}\n";

static const char alone_style[] = "@media(prefers-color-scheme:dark){svg{--ink:#e6e9ed}}\n";

struct page_figure page_figure(double value)
{
    struct page_figure figure;
    char digits[32];
    if (!(fabs(value) >= 999.5 && fabs(value) < 1e15)) {
        snprintf(figure.text, sizeof figure.text, "%.4g", value == 0 ? 0 : value); /* not -0 */
        return figure;
    }
    const int length = snprintf(digits, sizeof digits, "%.0f", fabs(value));
    size_t at = 0;
    if (value < 0) figure.text[at++] = '-';
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) figure.text[at++] = ',';
        figure.text[at++] = digits[i];
    }
    figure.text[at] = '\0';
    return figure;
}

void page_text(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '>')
            fputs("&gt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else if (*text == '"')
            fputs("&quot;", file);
        else if ((unsigned char)*text >= ' ' || *text == '\n')
            fputc(*text, file);
    }
}

void svg_begin(const struct page_canvas *canvas, double height)
{
    const double above = canvas->alone ? 24 : 0;
    fprintf(canvas->file, "<svg %sviewBox=\"0 %.0f %d %.0f\" role=\"img\">\n<title>",
            canvas->alone ? "xmlns=\"http://www.w3.org/2000/svg\" " : "", -above, SVG_WIDTH, height + above);
    page_text(canvas->file, canvas->title);
    fprintf(canvas->file, "</title>\n");
    if (!canvas->alone) return;
    fprintf(canvas->file, "<style>%s%s</style>\n<text class=\"name\" x=\"0\" y=\"-8\">", svg_style, alone_style);
    page_text(canvas->file, canvas->title);
    fprintf(canvas->file, "</text>\n");
}

void svg_end(const struct page_canvas *canvas) { fprintf(canvas->file, "</svg>\n"); }

double svg_at(const struct svg_axis *axis, double value)
{
    double part = 0.5;
    if (axis->logarithmic && value <= axis->low) value = axis->low;
    if (axis->high > axis->low)
        part = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                 : (value - axis->low) / (axis->high - axis->low);
    return axis->from + part * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten, so that about four of them reach the end. */
static double step_for(double length)
{
    const double power = pow(10, floor(log10(length / 4)));
    const double part = length / 4 / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/* The next power of ten after a mark that is one; or the next of 1, 2, 5, 10, where few powers are on the axis. */
static double next_factor(const struct svg_axis *axis, double last)
{
    enum { FEW = 200 };
    const double power = pow(10, floor(log10(last) + 1e-9));
    if (axis->high > FEW * axis->low) return 10 * power;
    return power * (last < 1.5 * power ? 2 : last < 3.5 * power ? 5 : 10);
}

bool svg_next_mark(const struct svg_axis *axis, double *last)
{
    if (axis->logarithmic) {
        double next = *last < 0 ? pow(10, floor(log10(axis->low) - 1e-9)) : next_factor(axis, *last);
        while (next < axis->low) next = next_factor(axis, next);
        *last = next;
        return next <= axis->high * 1.0001;
    }
    const double step = step_for(axis->high - axis->low);
    *last = *last < 0 ? step * ceil(axis->low / step - 1e-9) : *last + step;
    return *last <= axis->high * 1.0001;
}
