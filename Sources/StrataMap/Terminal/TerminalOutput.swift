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

/// How much a terminal map may assume of what it is printed on.
public enum TerminalOutput: Sendable, Hashable {
  /// A terminal that shows colours: filled land, coloured pins.
  case color
  /// A terminal that is to be left without colours: land as an outline.
  case monochrome
  /// Not a terminal: lines of text, no map.
  case text

  /// What the standard output of this process is: `text` unless it is a terminal, and without
  /// colours when `NO_COLOR` is set to anything but an empty string.
  public static var standard: TerminalOutput {
    guard isatty(STDOUT_FILENO) == 1 else { return .text }
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
    return noColor.isEmpty ? .color : .monochrome
  }
}
