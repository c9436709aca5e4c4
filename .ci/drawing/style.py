"""The colours and fonts that all drawings share, for a light and for a dark page."""

import html

LIGHT = {"text": "#1d2530", "note": "#5b6675", "rule": "#cfd6df",
         "strata": "#3b74d8", "raw": "#8d98a7", "peer": "#b27a1d"}
DARK = {"text": "#e8ecf2", "note": "#a5b0be", "rule": "#3c4653",
        "strata": "#7eaefc", "raw": "#6c7786", "peer": "#e3b262"}
FONT = '-apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif'
MONO = 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace'


class Drawing:
    """An SVG under construction, in the colours of one page."""

    def __init__(self, title, width, height, colours):
        self.colours = colours
        self.title, self.width, self.height = title, width, height
        self.parts = []

    def add(self, part):
        self.parts.append(part)

    def rect(self, x, y, width, height, colour, radius=2):
        self.add(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}"'
                 f' rx="{radius}" fill="{self.colours[colour]}"/>')

    def text(self, x, y, text, kind="text", anchor="start", size=13, weight=400):
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" fill="{self.colours[kind]}" text-anchor="{anchor}"'
                 f' font-size="{size}" font-weight="{weight}">{html.escape(text)}</text>')

    def line(self, points, colour, width=2):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.add(f'<polyline points="{path}" fill="none" stroke="{self.colours[colour]}"'
                 f' stroke-width="{width}" stroke-linejoin="round"/>')

    def dot(self, x, y, colour):
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{self.colours[colour]}"/>')

    def write(self, path):
        write(path, self.title, self.width, self.height, f"font-family='{FONT}'", self.parts)


def write(path, title, width, height, font, parts):
    """Writes an SVG of the given elements, with the attributes of its font."""
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
                   f' viewBox="0 0 {width} {height}" role="img" {font}>\n'
                   f"  <title>{html.escape(title)}</title>\n  ")
        file.write("\n  ".join(parts))
        file.write("\n</svg>\n")


def both(path, draw):
    """Draws a picture for a light page and for a dark page."""
    for colours, name in [(LIGHT, path + ".svg"), (DARK, path + "~dark.svg")]:
        draw(colours).write(name)
