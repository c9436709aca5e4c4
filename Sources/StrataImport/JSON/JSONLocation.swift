/// A location in the input.
///
/// A line ends at a line feed, so `\r\n` ends a line and a lone `\r` does not. Columns count bytes,
/// not characters. The bytes of a byte order mark count, too.
package struct JSONLocation: Sendable, Hashable, CustomStringConvertible {
  /// The number of bytes before the location, from the start of the input.
  package var offset: Int
  /// The line, from 1.
  package var line: Int
  /// The column, from 1, in bytes.
  package var column: Int

  package init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }

  package var description: String { "line \(line), column \(column) (byte \(offset))" }
}
