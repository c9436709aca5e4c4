"""A WebP animation: WebP pictures in one container. A browser encodes the pictures, so no encoder is needed."""

import base64
import struct

# In a page: encodes the blocks of a frame that differ from the frame before. The other blocks are transparent.
ENCODER = """(() => {
  const BLOCK = 16;
  let before = null;
  const base64 = async (blob) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  };
  globalThis.restart = () => { before = null; };
  globalThis.encode = async (png, quality) => {
    const bytes = Uint8Array.from(atob(png), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = bitmap;
    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    const image = context.getImageData(0, 0, width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const all = pixels.slice();
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0; y < height; y += BLOCK) {
      for (let x = 0; x < width; x += BLOCK) {
        const [endX, endY] = [Math.min(x + BLOCK, width), Math.min(y + BLOCK, height)];
        let isSame = before !== null;
        for (let row = y; row < endY && isSame; row += 1) {
          for (let at = row * width + x; at < row * width + endX; at += 1) {
            if (pixels[at] !== before[at]) { isSame = false; break; }
          }
        }
        if (!isSame) {
          [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, endX), Math.max(bottom, endY)];
        } else {
          for (let row = y; row < endY; row += 1) pixels.fill(0, row * width + x, row * width + endX);
        }
      }
    }
    before = all;
    if (right === 0) return null;
    const part = new OffscreenCanvas(right - left, bottom - top);
    part.getContext("2d").putImageData(image, -left, -top);
    const blob = await part.convertToBlob({ type: "image/webp", quality: quality / 100 });
    return [left, top, right - left, bottom - top, await base64(blob)];
  };
})()"""


def animation(page, frames, size, quality):
    """The bytes of an animation of frames, each a PNG in base64 and its duration in milliseconds."""
    page.evaluate(ENCODER)
    page.evaluate("restart()")
    parts = []
    for png, milliseconds in frames:
        part = page.evaluate(f"encode('{png}', {quality})")
        if part:
            parts.append([*part[:4], pictures(base64.b64decode(part[4])), milliseconds])
        else:
            parts[-1][-1] += milliseconds
    chunks = chunk(b"VP8X", struct.pack("<I", 0x12) + less(size[0]) + less(size[1]))
    chunks += chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0))
    for left, top, width, height, data, milliseconds in parts:
        # Offsets count pairs of pixels. The flags say: blend with the frame before.
        head = three(left // 2) + three(top // 2) + less(width) + less(height) + three(milliseconds) + b"\x00"
        chunks += chunk(b"ANMF", head + data)
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks


def three(number):
    return struct.pack("<I", number)[:3]


def less(pixels):
    """A length in a WebP container, which is one less."""
    return three(pixels - 1)


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def pictures(file):
    """The chunks of the picture in a WebP file: its opacity, and its colours."""
    found, at = b"", 12
    while at < len(file):
        length = struct.unpack_from("<I", file, at + 4)[0]
        if file[at:at + 4] in (b"ALPH", b"VP8 ", b"VP8L"):
            found += chunk(file[at:at + 4], file[at + 8:at + 8 + length])
        at += 8 + length + length % 2
    if not found:
        raise ValueError("no picture in a WebP file")
    return found
