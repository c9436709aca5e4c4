import Foundation
import StrataTestTurns
import Testing

@testable import Chapter

@MainActor @Suite(.inTurn) struct ChapterTests {
  private static let text = """
    let a = 1

    let b = 2
    // A comment.
    let c = 3
    chapter.show("c")
    if c > 2 {
      d()
    }
    chapter.show("d")
      e()
        .f()
      try await chapter.show("f")
      g()
      // The end.
    """

  @Test(arguments: [
    (4, ["let b = 2"]), (6, ["let c = 3"]), (10, ["if c > 2 {", "  d()", "}"]),
    (13, ["e()", "  .f()"]), (1, []), (0, []), (14, []), (15, ["g()"]), (99, []),
  ])
  func `code ends above a line and begins below a blank line, a comment or a call`(
    line: Int, code: [String]
  ) {
    #expect(ChapterSource(Self.text).code(above: line) == code)
  }

  @Test(arguments: [
    ("do {\n  a()\n} catch {", ["do {", "  a()", "} catch {", "… }"]),
    ("a { b in\n  if b {\n    c()", ["a { b in", "  if b {", "    c()", "  … }", "}"]),
    ("a {\n  b()\n}", ["a {", "  b()", "}"]), ("}\na {", ["}", "a {", "… }"]),
  ])
  func `blocks that code opens are closed`(text: String, code: [String]) {
    let line = text.split(separator: "\n").count + 1
    #expect(ChapterSource(text + "\nchapter.show(b)").code(above: line) == code)
  }

  @Test(arguments: [
    "Contexts", "Importing", "LiveQueries", "Migrations", "Stress",
    "PullToRefresh/Sources/PullToRefresh",
  ])
  func `code that a chapter shows fits into 80 columns`(chapter: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Playgrounds/\(chapter)/main.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let source = ChapterSource(text)
    let calls = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.contains("chapter.show(") }.map { $0.offset + 1 }
    let code = calls.flatMap(source.code(above:))
    #expect(!calls.isEmpty)
    #expect(code.filter { $0.count > 76 } == [])
  }

  @Test func `a source that is not there has no code`() {
    #expect(ChapterSource(path: "/nowhere.swift").code(above: 10).isEmpty)
  }

  private final class Lines {
    var text: [String] = []
  }

  private func chapter(_ lines: Lines, _ terminal: Terminal) -> Chapter {
    Chapter(terminal: terminal) { lines.text.append($0) }
  }

  @Test func `a section has a number, and a result has its code`() {
    let lines = Lines()
    let chapter = chapter(lines, Terminal(environment: [:], isInteractive: false))
    chapter.section("First")
    let sum = 1 + 1
    chapter.show("\(sum)")
    chapter.section("Second")
    chapter.end("the end")
    #expect(
      lines.text
        == ["1. First", "   let sum = 1 + 1", "   → 2", "", "2. Second", "", "the end"])
  }

  @Test func `a loop shows its code once`() {
    let lines = Lines()
    let chapter = chapter(lines, Terminal(environment: [:], isInteractive: false))

    for number in 1...2 {
      let square = number * number
      chapter.show("\(square)")
    }
    #expect(
      lines.text == [
        "   for number in 1...2 {", "     let square = number * number", "   … }", "   → 1",
        "   → 4",
      ])
  }

  @Test func `a terminal shows titles in bold and code with keywords, in lines that fit`() {
    let lines = Lines()
    let chapter = chapter(
      lines, Terminal(environment: ["COLUMNS": "40"], isInteractive: true))
    chapter.section("A title that is longer than the forty columns")
    let words = ["a word and another one", "a word and another one"].joined()
    chapter.show(words)
    #expect(lines.text[0] == "\u{1B}[1m1. A title that is longer than the forty\u{1B}[0m")
    #expect(lines.text[1] == "\u{1B}[1m   columns\u{1B}[0m")
    #expect(lines.text[2].hasPrefix("   \u{1B}[35mlet\u{1B}[0m words"))
    let plain = lines.text.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") }
    #expect(plain.allSatisfy { $0.count <= 40 })
    #expect(plain.last?.hasPrefix("     ") == true)
  }
}
