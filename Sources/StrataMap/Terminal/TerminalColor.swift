/// The foreground colours of a terminal that styles are drawn with.
enum TerminalColor: String, CaseIterable, Sendable {
  case red, orange, yellow, green, cyan, blue, magenta, white, gray

  /// Colours for styles that are not the name of one, in an order that keeps neighbours apart.
  private static let palette: [TerminalColor] = [.yellow, .cyan, .magenta, .green, .orange, .blue]

  /// The colour of a style: the one it names, or always the same one for the same text.
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

  /// Text in the colour, then the terminal's own colour again.
  func paint(_ text: String) -> String { "\u{1B}[\(code)m\(text)\u{1B}[0m" }
}
