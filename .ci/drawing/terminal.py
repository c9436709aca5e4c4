"""The output of a program on a terminal, as an SVG."""

import fcntl
import html
import os
import pty
import re
import struct
import termios

from style import FONT, MONO, write

COLUMNS, ROWS = 80, 24
CELL, LINE = 8.0, 16
# The terminal is dark on both pages, as a terminal often is.
PAGE, TEXT = "#151b23", "#dbe2ea"
COLOURS = {"196": "#ff5f57", "208": "#ff9d3b", "220": "#ffd75e", "255": "#ffffff", "242": "#6c7786"}


def output(command):
    """What a program writes on a terminal of 80 × 24 characters."""
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), LINES=str(ROWS), LANG="C.UTF-8")
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    text = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        text += piece
    _, status = os.waitpid(process, 0)
    if status != 0:
        raise RuntimeError(f"{command[0]} ended with status {status}")
    return text.decode().replace("\r\n", "\n")


def spans(line):
    """The pieces of a line with their colour and weight."""
    colour, weight = TEXT, 400
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        match = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not match:
            if piece:
                yield piece, colour, weight
            continue
        codes = match[1].split(";")
        if codes in (["0"], [""]):
            colour, weight = TEXT, 400
        if "1" in codes[:1]:
            weight = 700
        if "38" in codes:
            colour = COLOURS.get(codes[-1], TEXT)


def draw(title, text, path):
    lines = text.rstrip("\n").split("\n")
    width, height = int(COLUMNS * CELL) + 32, len(lines) * LINE + 52
    parts = [f'<rect width="{width}" height="{height}" rx="8" fill="{PAGE}"/>']
    for x, colour in [(18, "#ff5f57"), (36, "#febc2e"), (54, "#28c840")]:
        parts.append(f'<circle cx="{x}" cy="17" r="5" fill="{colour}"/>')
    parts.append(f'<text x="{width / 2}" y="21" fill="#a5b0be" text-anchor="middle" font-size="12"'
                 f" font-family='{FONT}'>{html.escape(title)}</text>")
    for row, line in enumerate(lines):
        column = 0
        for piece, colour, weight in spans(line):
            if piece.strip():
                # Fonts differ in width, above all for Braille, so each piece says its own.
                parts.append(
                    f'<text x="{16 + column * CELL:.0f}" y="{48 + row * LINE}" fill="{colour}"'
                    f' font-weight="{weight}" textLength="{len(piece) * CELL:.0f}"'
                    f' lengthAdjust="spacingAndGlyphs" xml:space="preserve">{html.escape(piece)}</text>')
            column += len(piece)
    write(path, title, width, height, f"font-size=\"13\" font-family='{MONO}'", parts)
