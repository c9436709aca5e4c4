import StrataTestTurns
import Testing

@testable import Chapter

@Suite(.inTurn) struct TerminalTests {
  private func terminal(
    _ environment: [String: String] = [:], isInteractive: Bool = true,
    size: (columns: Int, rows: Int)? = (80, 24)
  ) -> Terminal {
    Terminal(environment: environment, isInteractive: isInteractive, size: size)
  }

  @Test func `a terminal has styles, colours and the size of its window`() {
    let terminal = terminal(["TERM": "xterm-256color", "LANG": "en_US.UTF-8"])
    #expect(terminal.hasStyles && terminal.hasColors && terminal.hasUnicode)
    #expect(terminal.columns == 80 && terminal.rows == 24)
    #expect(terminal.bold("title") == "\u{1B}[1mtitle\u{1B}[0m")
    #expect(terminal.faint("code") == "\u{1B}[2mcode\u{1B}[0m")
  }

  @Test func `a pipe has neither styles nor colours nor an end of its lines`() {
    let pipe = terminal(isInteractive: false, size: nil)
    #expect(!pipe.hasStyles && !pipe.hasColors)
    #expect(pipe.columns == 100 && pipe.rows == nil)
    #expect(pipe.bold("title") == "title")
  }

  @Test func `a dumb terminal gets no escape sequence`() {
    let terminal = terminal(["TERM": "dumb"])
    #expect(terminal.isInteractive && !terminal.hasStyles && !terminal.hasColors)
  }

  @Test(arguments: [("1", false), ("false", false), ("", true)])
  func `NO_COLOR switches colours off unless it is empty`(value: String, hasColors: Bool) {
    let terminal = terminal(["NO_COLOR": value])
    #expect(terminal.hasColors == hasColors)
    #expect(terminal.hasStyles, "bold is no colour")
  }

  @Test(arguments: [
    (["LANG": "C"], false), (["LANG": "POSIX"], false), (["LANG": "de_DE.ISO-8859-1"], false),
    (["LANG": "C.UTF-8"], true), (["LANG": "en_US.utf8"], true), ([:], true), (["LANG": ""], true),
    (["LANG": "en_US.UTF-8", "LC_CTYPE": "C"], false), (["LANG": "C", "LC_ALL": "C.UTF-8"], true),
    (["LC_CTYPE": "C.UTF-8", "LC_ALL": "C"], false),
  ])
  func `the locale names the character set`(environment: [String: String], hasUnicode: Bool) {
    #expect(terminal(environment).hasUnicode == hasUnicode)
  }

  @Test(arguments: [
    (["COLUMNS": "60"], 120, 60), ([:], 72, 72), ([:], 200, 200), (["COLUMNS": "300"], 80, 300),
    (["COLUMNS": "wide"], 72, 72), (["COLUMNS": "0"], 72, 20), ([:], 0, 80), ([:], 5, 20),
  ])
  func `the user's choice of a width comes before the window's`(
    environment: [String: String], window: Int, columns: Int
  ) {
    let terminal = terminal(environment, size: (window, 24))
    #expect(terminal.columns == columns && terminal.textColumns == min(columns, 100))
  }

  @Test func `a window of unknown size has eighty columns`() {
    let terminal = terminal(size: nil)
    #expect(terminal.columns == 80 && terminal.rows == nil)
  }

  // MARK: Text

  @Test func `a long line breaks at spaces and keeps its indent`() {
    let terminal = terminal(["COLUMNS": "20"])
    #expect(
      terminal.lines("one two three four five six", indent: 2, hanging: 4)
        == ["  one two three four", "    five six"])
    #expect(terminal.lines("short", indent: 2) == ["  short"])
    #expect(terminal.lines("") == [""])
  }

  @Test func `a word that is too long has a line of its own`() {
    let word = String(repeating: "x", count: 30)
    #expect(terminal(["COLUMNS": "20"]).lines("a \(word) b") == ["a", word, "b"])
  }

  @Test func `columns of text keep the spaces between them`() {
    #expect(terminal().lines("move     a pin", indent: 3) == ["   move     a pin"])
  }

  @Test func `text keeps its letters in ASCII`() {
    let ascii = terminal(["LANG": "C"])
    #expect(ascii.spelled("→ São Tomé… 5 µs, 東") == "-> Sao Tome... 5 us, ?")
    #expect(terminal().spelled("→ São") == "→ São")
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1707, "-1,707"),
  ])
  func `numbers have commas`(number: Int, text: String) {
    #expect(number.grouped == text)
  }
}
