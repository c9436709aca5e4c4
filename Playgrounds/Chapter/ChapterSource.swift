import Foundation

/// The source text of a chapter, from which it shows the code behind its results.
package struct ChapterSource: Sendable {
  private let lines: [Substring]

  package init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// Reads a source file. Where a program runs without its sources, the text is empty.
  package init(path: String) {
    self.init((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
  }

  /// Returns the statements that end directly above a line, without their common indent.
  ///
  /// They begin below the nearest blank line, comment, or call of the chapter. Blocks that they open
  /// are closed by a line with an ellipsis, so that a reader can copy them.
  ///
  /// - Parameter line: The number of a line; the first is 1.
  package func code(above line: Int) -> [String] {
    let above = lines.prefix(max(0, line - 1)).reversed().prefix { !Self.isBoundary($0) }
    let indent = above.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    let code = above.reversed().map { String($0.dropFirst(indent)) }
    return code + Self.ends(of: code)
  }

  /// Returns the lines that close the blocks which code opens. The innermost block is first.
  private static func ends(of code: [String]) -> [String] {
    var open: [Int] = []
    for line in code {
      let indent = line.prefix { $0 == " " }.count
      for character in line {
        if character == "{" { open.append(indent) }
        if character == "}" { _ = open.popLast() }
      }
    }
    return open.reversed().enumerated().map { position, indent in
      String(repeating: " ", count: indent) + (position == 0 ? "… }" : "}")
    }
  }

  private static func isBoundary(_ line: Substring) -> Bool {
    let text = line.drop { $0 == " " }
    return text.isEmpty || text.hasPrefix("//")
      || text.prefixMatch(of: /(try )?(await )?chapter\./) != nil
  }
}
