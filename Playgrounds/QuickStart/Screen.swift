import Chapter
import Strata
import StrataMap

/// Prints the program's steps, fitted to a terminal.
@MainActor struct Screen {
  let terminal: Terminal
  private let put: (String) -> Void

  init(terminal: Terminal = .output, put: @escaping (String) -> Void = { print($0) }) {
    self.terminal = terminal
    self.put = put
  }

  /// An empty map for this screen.
  var map: TerminalMap {
    TerminalMap(output: TerminalOutput(terminal), characters: MapCharacters(terminal))
  }

  /// The width of a map that leaves room for a few lines of text.
  ///
  /// A map of five columns has about a line.
  var mapWidth: Int {
    min(terminal.textColumns, terminal.rows.map { max(20, ($0 - 6) * 5) } ?? .max)
  }

  /// Prints the title of a step. The first step has no line above it.
  func title(_ text: String) {
    if !text.hasPrefix("1.") { put("") }
    for line in terminal.lines(terminal.spelled(text), hanging: 3) { put(terminal.bold(line)) }
  }

  /// Prints a line below a title.
  func line(_ text: String) {
    for line in terminal.lines(terminal.spelled(text), indent: 3, hanging: 12) { put(line) }
  }

  /// Prints a line at the left edge.
  func end(_ text: String) {
    put("")
    put(terminal.spelled(text))
  }

  /// Draws a map, with marks where operations took place.
  ///
  /// Without a terminal it prints the twenty most important pins, and no marks.
  func draw(_ map: TerminalMap, marks: [MapMark] = []) {
    let isText = map.output == .text
    if isText, !marks.isEmpty { return }
    put("")
    put(terminal.spelled(map.render(width: mapWidth, height: isText ? 20 : nil, marks: marks)))
    let legend = marks.legend(map.characters)
    if !legend.isEmpty { line(legend) }
  }
}
