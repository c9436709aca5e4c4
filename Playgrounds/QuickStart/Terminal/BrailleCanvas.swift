/// A raster of dots that is drawn as Braille characters of 2 x 4 dots.
struct BrailleCanvas: Hashable {
  let width: Int
  let height: Int
  private var dots: [Bool]

  /// Creates an empty canvas; the width must be a multiple of 2, the height of 4.
  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    dots = Array(repeating: false, count: width * height)
  }

  /// The dot at a position. Dots beyond the upper and lower edge are blank; the left and right
  /// sides are joined.
  subscript(x: Int, y: Int) -> Bool {
    get {
      guard (0..<height).contains(y) else { return false }
      return dots[y * width + (x + width) % width]
    }
    set {
      guard (0..<height).contains(y) else { return }
      dots[y * width + (x + width) % width] = newValue
    }
  }

  /// The canvas without the dots whose four neighbours above, below and beside are all set.
  var outline: BrailleCanvas {
    var result = self
    for y in 0..<height {
      for x in 0..<width where self[x, y] {
        let isInside = self[x - 1, y] && self[x + 1, y] && self[x, y - 1] && self[x, y + 1]
        if isInside { result[x, y] = false }
      }
    }
    return result
  }

  /// Returns the character of a cell: a space, or a Braille pattern (U+2801 to U+28FF).
  func character(column: Int, row: Int) -> Character {
    var pattern: UInt32 = 0
    for (line, bits) in Self.bits.enumerated() {
      if self[column * 2, row * 4 + line] { pattern |= bits.left }
      if self[column * 2 + 1, row * 4 + line] { pattern |= bits.right }
    }
    guard pattern > 0, let scalar = Unicode.Scalar(0x2800 + pattern) else { return " " }
    return Character(scalar)
  }

  /// Returns an ASCII character that is the darker, the more dots a cell has.
  func punctuation(column: Int, row: Int) -> Character {
    let dots = (0..<4).reduce(0) { count, line in
      (0..<2).reduce(count) { $0 + (self[column * 2 + $1, row * 4 + line] ? 1 : 0) }
    }
    return Self.shades[dots]
  }

  /// The characters for 0 to 8 dots.
  private static let shades: [Character] = [" ", ".", ".", ".", ":", ":", ":", "#", "#"]

  /// Unicode numbers the upper three lines first, column by column, and then the lowest line.
  private static let bits: [(left: UInt32, right: UInt32)] = [
    (0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80),
  ]
}
