import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONLinesTests {
  /// Broken lines. No line completes the line before it, because a record may continue on the next
  /// line.
  private static let broken = [
    "{", "[", "{\"id\":", "{\"id\":1", "{\"id\":1,", "\"open", "{\"open", "{\"a\":\"open", "nul",
    "01", "-", "{]", "{\"id\":1} x", "{\"a\":\"\\x\"}",
    "{\"a\":\"\u{1}\"}",
    "{\"a\":\"\\ud800\"}", String(repeating: "[", count: 600), "x", ",", "{\"id\":1}{\"id\":2}",
  ]

  @Test func `a line that is not JSON costs that line alone, whatever the chunks`() throws {
    var random = SeededRandom.printingSeed()
    let plan = try plan(("id", .integer))
    for _ in 0..<60 {
      var lines: [String] = []
      var good: [Outcome] = []
      var offset = 0
      for id in 0..<Int.random(in: 1...12, using: &random) {
        let isGood = Bool.random(using: &random)
        let line = isGood ? "{\"id\":\(id)}" : Self.broken.randomElement(using: &random) ?? ""
        if isGood { good.append(.row([.integer(Int64(id))], offset: offset)) }
        lines.append(line)
        offset += line.utf8.count + 1
      }
      let text = lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")
      let whole = scan(text, as: .lines, plan)
      #expect(good.allSatisfy(whole.contains), "\(text)")
      #expect(whole.count { $0.values != nil } == good.count, "\(text)")
      #expect(whole.count { $0.failure != nil } == lines.count - good.count, "\(text)")
      for chunk in [1, 2, 3, 7, 64] {
        #expect(scan(text.utf8, as: .lines, plan, chunk: chunk) == whole, "\(text)")
      }
    }
  }

  @Test func `a record may go over several lines, and a fault in it costs its first one`() throws {
    let plan = try plan(("id", .integer))
    let found = scan("{\n\"id\": 1\n}\n{\"id\":\n x}\n{\"id\": 3}", as: .lines, plan)
    #expect(found.compactMap(\.values) == [[.integer(1)], [.integer(3)]])
    #expect(found.compactMap { $0.failure?.location.line } == [5, 5])
  }

  @Test func `a line without an end is left without keeping it`() throws {
    let text = "{\"id\":x" + String(repeating: "y", count: 1_000_000) + "\n{\"id\":2}"
    let found = scan(text.utf8, as: .lines, try plan(("id", .integer)), chunk: 1000)
    #expect(found.map(\.values) == [nil, [.integer(2)]])
  }

  @Test func `the last line cut is refused, not lost`() throws {
    let found = scan("{\"id\":1}\n{\"id\":2", as: .lines, try plan(("id", .integer)))
    #expect(found.map { $0.failure?.code } == [nil, .unexpectedEnd])
  }

  @Test func `a record with something behind it is refused with its lines`() throws {
    let text = "{\n\"id\": 1\n} x\n{\"id\":2}{\"id\":3}\n{\"id\":4}"
    let found = scan(text, as: .lines, try plan(("id", .integer)))
    #expect(found.compactMap(\.values) == [[.integer(4)]])
    #expect(found.compactMap { $0.failure?.code } == [.trailingGarbage, .trailingGarbage])
  }

  /// The scanner must not read the array again from its beginning for every line.
  @Test func `an array over many lines is read in linear time`() throws {
    let rows = (0..<40_000).map { "{\n\"id\": \($0)\n}" }.joined(separator: ",\n")
    let found = scan("[\n\(rows)\n]".utf8, as: .lines, try plan(("id", .integer)), chunk: 64)
    #expect(found.count == 1 && found[0].refusal?.problem == .expected(.object))
  }

  /// The scanner must not count the lines from the start of the chunk for each refused line.
  @Test func `a chunk of refused lines is read in linear time`() throws {
    let count = 100_000
    let found = scan(
      String(repeating: "1\n", count: count).utf8, as: .lines, try plan(("id", .integer)))
    #expect(found.count == count)
    let last = JSONLocation(offset: 2 * (count - 1), line: count, column: 1)
    #expect(found.last?.refusal?.location == last)
  }

  @Test func `a record that is too long is refused without being kept`() throws {
    let long = "{\"id\":1,\"name\":\"\(String(repeating: "x", count: 5_000))\"}"
    let plan = try plan(("id", .integer))
    func read(_ text: String, _ format: JSONFormat, chunk: Int) -> [Outcome] {
      scan(text.utf8, as: format, plan, chunk: chunk, longestRecord: 1_000)
    }
    for chunk in [1, 64, 700, 20_000] {
      let lines = read("{\"id\":1}\n\(long)\n{\"id\":2}", .lines, chunk: chunk)
      #expect(lines.map(\.values) == [[.integer(1)], nil, [.integer(2)]])
      #expect(lines[1].failure?.code == .tooLong && lines[1].failure?.location.line == 2)
      let array = read("[{\"id\":1},\n \(long),{\"id\":2}]", .array, chunk: chunk)
      #expect(array.map(\.values) == [[.integer(1)], nil])
      #expect(
        array.last?.failure?.location == JSONLocation(offset: 12, line: 2, column: 2), "\(chunk)")
    }
    // The scanner does not keep a string that no column reads.
    let beside = read("{\"skip\":[\(long)],\"features\":[]}", .featureCollection, chunk: 64)
    #expect(beside.last?.failure?.code == .tooLong)
  }
}
