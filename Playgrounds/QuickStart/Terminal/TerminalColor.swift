/// The foreground colours of a terminal in which styles are drawn.
enum TerminalColor: String, CaseIterable, Sendable {
  case red, orange, yellow, green, cyan, blue, magenta, white, gray

  /// The colours of styles that name no colour, in an order in which neighbours are easy to tell
  /// apart.
  private static let palette: [TerminalColor] = [.yellow, .cyan, .magenta, .green, .orange, .blue]

  /// Creates the colour that a style names, or else a colour that is always the same for the same
  /// text.
  init(style: String) {
    let name = style.lowercased()
    switch name {
    case "": self = .red
    case "purple", "pink", "violet": self = .magenta
    case "grey", "black": self = .gray
    default:
      // FNV-1a, because `Hasher` is seeded differently in every run.
      let hash = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
      self = TerminalColor(rawValue: name) ?? Self.palette[Int(hash % UInt32(Self.palette.count))]
    }
  }

  /// The parameters of the escape sequence that selects the colour (SGR, 256 colours).
  var code: String {
    switch self {
    case .red: "1;38;5;196"
    case .orange: "1;38;5;208"
    case .yellow: "1;38;5;220"
    case .green: "1;38;5;40"
    case .cyan: "1;38;5;44"
    case .blue: "1;38;5;33"
    case .magenta: "1;38;5;201"
    case .white: "1;38;5;255"
    case .gray: "38;5;242"
    }
  }

  /// Returns text in the colour, followed by the terminal's default colour.
  func paint(_ text: String) -> String { "\u{1B}[\(code)m\(text)\u{1B}[0m" }
}
