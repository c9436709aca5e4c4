/// Where in the input something is.
///
/// Lines end at a line feed (so `\r\n` ends one line, a lone `\r` none); columns count bytes, not
/// characters. A byte order mark counts like any other bytes.
package struct JSONLocation: Sendable, Hashable, CustomStringConvertible {
  /// The number of bytes before it, from the start of the input.
  package var offset: Int
  /// Its line, from 1.
  package var line: Int
  /// Its column, from 1, in bytes.
  package var column: Int

  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  package var description: String { "line \(line), column \(column) (byte \(offset))" }
}
