import Chapter

/// The kind of output that a terminal map is printed on.
enum TerminalOutput: Sendable, Hashable {
  /// A terminal with colours: filled land and coloured pins.
  case color
  /// A terminal without colours: land as an outline.
  case monochrome
  /// No terminal: lines of text without a map.
  case text

  init(_ terminal: Terminal) {
    self = !terminal.isInteractive ? .text : terminal.hasColors ? .color : .monochrome
  }
}

/// The characters that a terminal map is made of.
enum MapCharacters: Sendable, Hashable {
  /// Braille patterns for the land, and round pins.
  case unicode
  /// Punctuation for the land, and letters as pins.
  case ascii

  init(_ terminal: Terminal) { self = terminal.hasUnicode ? .unicode : .ascii }

  var pin: Character { self == .unicode ? "●" : "O" }

  /// Returns the character of a cell of land, or a space.
  func land(_ canvas: BrailleCanvas, column: Int, row: Int) -> Character {
    switch self {
    case .unicode: canvas.character(column: column, row: row)
    case .ascii: canvas.punctuation(column: column, row: row)
    }
  }
}
