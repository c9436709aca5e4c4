import Foundation

/// The abilities of the output that a program prints on: a terminal, or a pipe or file.
///
/// It depends on the values that it is made from alone, so that a test can describe any terminal.
package struct Terminal: Hashable, Sendable {
  /// The number of columns that a terminal has if nothing tells its width.
  package static let usualColumns = 80
  /// The greatest width of text, because longer lines are hard to read.
  package static let mostTextColumns = 100

  /// Whether the output is a terminal, not a pipe or a file.
  package var isInteractive: Bool
  /// Whether the output understands escape sequences, such as those for bold text.
  package var hasStyles: Bool
  /// Whether the user wants colours.
  package var hasColors: Bool
  /// Whether the output shows characters beyond ASCII.
  package var hasUnicode: Bool
  /// The width of the output in characters, at least 20.
  package var columns: Int
  /// The width of text in characters, from 20 to ``mostTextColumns``.
  package var textColumns: Int { min(columns, Self.mostTextColumns) }
  /// The number of lines that are visible at once. It is nil if there is no limit, as in a file.
  package var rows: Int?

  /// - Parameters:
  ///   - environment: The variables of the process. `TERM=dumb` means no escape sequences,
  ///     `NO_COLOR` no colours. `COLUMNS` is the user's choice of a width. The first of `LC_ALL`,
  ///     `LC_CTYPE` and `LANG` that is set names the character set. If none is set, it is UTF-8.
  ///   - isInteractive: Whether the output is a terminal.
  ///   - size: The size of its window.
  package init(
    environment: [String: String], isInteractive: Bool, size: (columns: Int, rows: Int)? = nil
  ) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    self.isInteractive = isInteractive
    hasStyles = isInteractive && value("TERM") != "dumb"
    hasColors = hasStyles && value("NO_COLOR") == nil
    let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG"))?.lowercased()
    hasUnicode = locale.map { $0.contains("utf-8") || $0.contains("utf8") } ?? true
    let chosen = value("COLUMNS").flatMap { Int($0) }
    let window = size.flatMap { $0.columns > 0 ? $0.columns : nil }
    let natural = isInteractive ? Self.usualColumns : Self.mostTextColumns
    columns = max(chosen ?? window ?? natural, 20)
    rows = isInteractive ? size.flatMap { $0.rows > 0 ? $0.rows : nil } : nil
  }

  /// The standard output of this process.
  package static var output: Terminal { Terminal(STDOUT_FILENO) }
  /// The standard error output of this process.
  package static var errors: Terminal { Terminal(STDERR_FILENO) }

  private init(_ descriptor: Int32) {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0
    self.init(
      environment: ProcessInfo.processInfo.environment, isInteractive: isatty(descriptor) == 1,
      size: isKnown ? (Int(size.ws_col), Int(size.ws_row)) : nil)
  }
}
