import Chapter
import StrataMap
import StrataTestTurns
import Testing

@testable import QuickStart
@testable import Strata

@MainActor @Suite(.inTurn) struct ScreenTests {
  private final class Lines {
    var text: [String] = []
  }

  private let lines = Lines()

  private func screen(
    _ environment: [String: String] = [:], columns: Int = 80, rows: Int = 24,
    isInteractive: Bool = true
  ) -> Screen {
    Screen(
      terminal: Terminal(
        environment: environment, isInteractive: isInteractive, size: (columns, rows)),
      put: { [lines] in
        lines.text += $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      })
  }

  private var plain: [String] {
    lines.text.map { $0.replacing(#/\u{1B}\[[0-9;]*m/#, with: "") }
  }

  private func pin(_ id: Int, _ latitude: Double, _ longitude: Double) -> SurfaceAnnotation {
    SurfaceAnnotation(
      id: RecordKey(.integer(Int64(id))),
      coordinate: Coordinate(latitude: latitude, longitude: longitude), title: "pin \(id)")
  }

  @Test(arguments: [(80, 24), (100, 24), (100, 50), (60, 20), (200, 60), (40, 10), (10, 5)])
  func `a map fits into the window, with lines to spare`(columns: Int, rows: Int) {
    let screen = screen(columns: columns, rows: rows)
    screen.draw(screen.map)
    #expect(plain.allSatisfy { $0.count <= max(20, columns) })
    #expect(plain.count <= max(6, rows - 4), "a title and two lines are above it")
  }

  @Test func `titles are bold on a terminal and plain elsewhere`() {
    screen().title("1. A title")
    screen(["TERM": "dumb"]).title("1. A title")
    screen(isInteractive: false).title("1. A title")
    #expect(lines.text == ["\u{1B}[1m1. A title\u{1B}[0m", "1. A title", "1. A title"])
  }

  @Test func `a blank line is above each title but the first`() {
    let screen = screen(["TERM": "dumb"])
    screen.title("1. One")
    screen.title("2. Two")
    #expect(lines.text == ["1. One", "", "2. Two"])
  }

  @Test func `lines of text break at the width of the window`() {
    let screen = screen(columns: 40)
    screen.title("6. The first edition comes again, and the note is still the user's")
    screen.line("move     265km NE of Scott Island Bank, Antarctica to -60.8° -175.6°")
    #expect(plain.allSatisfy { $0.count <= 40 })
    #expect(plain.contains { $0.hasPrefix("            ") }, "under the operation's title")
  }

  @Test func `the screen is ASCII in a terminal without Unicode`() {
    let screen = screen(["LANG": "C"])
    let map = screen.map
    map.apply(.add(pin(1, 30, -45)))
    screen.title("1. Tōkyō")
    screen.line("5° … 3 → 4")
    screen.draw(
      map, marks: [MapMark(kind: .moved, coordinate: Coordinate(latitude: 0, longitude: 0))])
    screen.end("→")
    #expect(lines.text.joined().allSatisfy { $0.isASCII })
    #expect(plain.contains { $0.contains("####") } && plain.contains { $0.contains("O") })
    #expect(plain.last == "->" && plain.contains("   + 1 moved"))
  }

  @Test func `a dumb terminal gets a map without escape sequences`() {
    let screen = screen(["TERM": "dumb"])
    let map = screen.map
    map.apply(.add(pin(1, 30, -45)))
    screen.draw(map)
    #expect(lines.text.joined().contains("●") && !lines.text.joined().contains("\u{1B}"))
  }

  @Test func `a pipe gets a list of twenty lines, and no second list for the marks`() {
    let screen = screen(isInteractive: false)
    let map = screen.map
    for id in 0..<100 { map.apply(.add(pin(id, 0, 0))) }
    screen.draw(map)
    #expect(lines.text.count == 21 && lines.text.last == "… and 82 more")
    let mark = MapMark(kind: .removed, coordinate: Coordinate(latitude: 0, longitude: 0))
    screen.draw(map, marks: [mark])
    #expect(lines.text.count == 21)
  }

  @Test func `times have tenths only if they are short`() {
    #expect(Stopwatch.text(.milliseconds(1_234)) == "1,234 ms")
    #expect(Stopwatch.text(.microseconds(9_940)) == "9.9 ms")
    #expect(Stopwatch.text(.microseconds(12_600)) == "13 ms")
    #expect(Stopwatch.text(.microseconds(40)) == "0.0 ms")
  }
}
