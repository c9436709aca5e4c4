#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import Foundation

/// The kind of output that a terminal map is printed on.
enum TerminalOutput: Sendable, Hashable {
  /// A terminal with colours: filled land and coloured pins.
  case color
  /// A terminal without colours: land as an outline.
  case monochrome
  /// No terminal: lines of text without a map.
  case text

  /// The standard output of this process.
  ///
  /// It is `text` if the output is no terminal. It is without colours if `NO_COLOR` is set to a
  /// string that is not empty.
  static var standard: TerminalOutput {
    guard isatty(STDOUT_FILENO) == 1 else { return .text }
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
    return noColor.isEmpty ? .color : .monochrome
  }
}
