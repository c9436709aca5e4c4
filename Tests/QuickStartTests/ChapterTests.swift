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
        "   for number in 1...2 {", "     let square = number * number", "   → 1", "   → 4",
      ])
  }

  @Test func `a terminal shows titles in bold and code faintly, in lines that fit`() {
    let lines = Lines()
    let chapter = chapter(
      lines, Terminal(environment: ["COLUMNS": "40"], isInteractive: true))
    chapter.section("A title that is longer than the forty columns")
    let words = ["a word and another one", "a word and another one"].joined()
    chapter.show(words)
    #expect(lines.text[0] == "\u{1B}[1m1. A title that is longer than the forty\u{1B}[0m")
    #expect(lines.text[1] == "\u{1B}[1m   columns\u{1B}[0m")
    #expect(lines.text[2].hasPrefix("\u{1B}[2m   let words"))
    let plain = lines.text.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") }
    #expect(plain.allSatisfy { $0.count <= 40 })
    #expect(plain.last?.hasPrefix("     ") == true)
  }
}
