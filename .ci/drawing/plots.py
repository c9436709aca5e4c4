"""Bars and curves from the results of benchmarks."""

import math

from style import Drawing

WIDTH = 720
NAMES = {"strata": "Strata", "raw": "SQLite in C", "peer": "GRDB"}


def duration(milliseconds):
    """A duration in the unit that has the fewest digits."""
    if milliseconds < 0.1:
        return f"{milliseconds * 1000:.0f} µs"
    if milliseconds < 10:
        return f"{milliseconds:.2g} ms"
    return f"{milliseconds:,.0f} ms"


def begin(title, note, series, height, colours):
    """A plot's title and note, and the legend of several series at the right."""
    drawing = Drawing(title, WIDTH, height, colours)
    drawing.text(20, 26, title, size=15, weight=600)
    drawing.text(20, 46, note, "note", size=12)
    widths = [30 + 8 * len(NAMES[name]) for name in series]
    x = WIDTH - 20 - sum(widths)
    for name, width in zip(series, widths):
        if len(series) > 1:
            drawing.rect(x, 17, 10, 10, name)
            drawing.text(x + 15, 26, NAMES[name], "note", size=12)
        x += width
    return drawing


def bars(title, note, groups, colours, label=duration, is_logarithmic=False, names=180):
    """Horizontal bars in groups: `groups` has pairs of a name and a dictionary of values by series."""
    series = list(dict.fromkeys(name for _, values in groups for name in values))
    bar, gap = 15, 14
    heights = [bar * len(values) + gap for _, values in groups]
    drawing = begin(title, note, series, 76 + sum(heights), colours)
    everything = [value for _, values in groups for value in values.values() if value > 0]
    low, high = min(everything), max(everything)

    def length(value):
        share = value / high
        if is_logarithmic:
            share = (math.log10(value) - math.log10(low) + 0.35) / (math.log10(high) - math.log10(low) + 0.35)
        return share * (WIDTH - names - 110)

    y = 66
    for (name, values), height in zip(groups, heights):
        drawing.text(names + 10, y + (height - gap) / 2 + 4, name, anchor="end")
        for each, value in values.items():
            drawing.rect(names + 20, y + 1, length(value), bar - 3, each)
            drawing.text(names + 26 + length(value), y + bar - 4, label(value), "note", size=12)
            y += bar
        y += gap
    return drawing


def curves(title, note, lines, colours, x_label, label=duration):
    """Curves over a number of rows, both axes logarithmic: `lines` has points by series."""
    drawing = begin(title, note, list(lines), 340, colours)
    xs = sorted({x for points in lines.values() for x, _ in points})
    ys = [y for points in lines.values() for _, y in points]
    bottom, top = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    left, right, high, low = 90, 690, 70, 290

    def place(x, y):
        across = (math.log10(x) - math.log10(xs[0])) / max(math.log10(xs[-1]) - math.log10(xs[0]), 1e-9)
        up = (math.log10(y) - bottom) / max(top - bottom, 1)
        return left + across * (right - left), low - up * (low - high)

    for power in range(bottom, top + 1):
        _, y = place(xs[0], 10.0**power)
        drawing.line([(left, y), (right, y)], "rule", 1)
        drawing.text(left - 8, y + 4, label(10.0**power), "note", "end", 12)
    for x in xs:
        drawing.text(place(x, 10.0**bottom)[0], low + 20, f"{x:,}", "note", "middle", 12)
    drawing.text((left + right) / 2, low + 40, x_label, "note", "middle", 12)
    for name, points in lines.items():
        drawing.line([place(*point) for point in sorted(points)], name)
        for point in points:
            drawing.dot(*place(*point), name)
    return drawing
