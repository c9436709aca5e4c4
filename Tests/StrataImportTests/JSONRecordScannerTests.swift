import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONRecordScannerTests {
  private static let records = #"""
    {"id":1,"name":"plain","o":{"x":1.5,"y":[1,{"z":null}]},"skip":[1.5e3,"é€😀",true]},
    {"o":{"x":-0.25},"name":"esc \"\\\u00e9\uD83D\uDE00\u0000","id":9223372036854775807 },

    { "id" : null , "name" : "日本語 text that is longer than a word" , "raw" : [ 1 , "a]" ] },
    {"id":"bad","name":"refused"},
    {}
    """#

  private static let documents: [(JSONFormat, String)] = [
    (.array, "\u{FEFF} [ \(records) ] \n"),
    (.array, "[]"),
    (.array, "[\(records),]"),
    (.array, "[\(records)] x"),
    (.array, "[\(records),{\"id\":01}]"),
    (.array, "[\(records)\n,{\"name\":\"\\ud800\"}]"),
    (
      .lines,
      records.split(separator: "\n").map { $0.hasSuffix(",") ? "\($0.dropLast())" : "\($0)" }
        .joined(separator: " \r\n\n")
    ),
    (.lines, "{\"id\":1}\n{\"id\":2} {\"id\":3}\n"),
    (.lines, "{\"id\":1}\n12\n[]\n{\"id\":2\n}\n{\"id\":"),
    (
      .featureCollection,
      "{\"type\":\"FeatureCollection\",\"bbox\":[1,[2,{\"a\":\"\\n\"}]],\"features\":[\(records)],\"z\":{}}"
    ),
    (.featureCollection, "{\"type\":\"FeatureCollection\"}"),
    (.featureCollection, "{\"bbox\":[1,[2,{\"a\":\"\\q\"}]],\"features\":[]}"),
    (.featureCollection, "{\"features\":null}"),
    (
      .array(at: ["a", "b"]),
      "{\"a\":{\"x\":1,\"b\":[\(records)],\"y\":[]},\"b\":[1],\"a\":{\"b\":[{}]}}"
    ),
    (.array(at: ["a", "b"]), "{\"a\":[]}"),
  ]

  private static func plan() throws -> JSONPlan {
    try StrataImportTests.plan(
      ("id", .integer), ("name", .text), ("o.x", .real), ("raw", .json), ("o.y[1]", .json))
  }

  @Test(arguments: documents)
  func `chunks of any size give the same records and errors`(
    format: JSONFormat, document: String
  ) throws {
    let plan = try Self.plan()
    let whole = scan(document, as: format, plan)
    #expect(!whole.isEmpty || ["[]", #"{"features":null}"#].contains(document))
    for size in 1...64 {
      #expect(scan(document.utf8, as: format, plan, chunk: size) == whole, "chunks of \(size)")
    }
  }

  @Test(arguments: JSONSyntaxTests.valid + JSONSyntaxTests.invalid)
  func `a value beside the records is validated whatever the chunks`(text: String) throws {
    let document = "{\"skip\":\(text) ,\"features\":[{}]}"
    let whole = scan(document, as: .featureCollection, try Self.plan())
    if JSONSyntaxTests.valid.contains(text) { #expect(whole.map(\.failure) == [nil]) }
    for size in 1...16 {
      let cut = scan(document.utf8, as: .featureCollection, try Self.plan(), chunk: size)
      #expect(cut == whole, "chunks of \(size)")
    }
  }

  @Test func `a path may be written with dots`() {
    #expect(JSONFormat.array(at: "data.songs") == .array(at: ["data", "songs"]))
    #expect(JSONFormat.array(at: "") == .array(at: []))
    #expect(JSONFormat.array != .array(at: "songs"))
  }

  @Test func `the sample documents give what they contain`() throws {
    let counts = try Self.documents.map { format, text in
      let outcomes = scan(text, as: format, try Self.plan())
      return [
        outcomes.count { $0.values != nil }, outcomes.count { $0.refusal != nil },
        outcomes.count { $0.failure != nil },
      ]
    }
    #expect(
      counts == [
        [4, 1, 0], [0, 0, 0], [4, 1, 1], [4, 1, 1], [4, 1, 1], [4, 1, 1], [4, 1, 0], [1, 0, 1],
        [2, 2, 1], [4, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 0], [5, 1, 0], [0, 0, 1],
      ])
    let first = scan(Self.documents[0].1, as: .array, try Self.plan())
    #expect(
      first.compactMap(\.values) == [
        [.integer(1), .text("plain"), .real(1.5), .missing, .text(#"{"z":null}"#)],
        [.integer(.max), .text("esc \"\\é😀\u{0}"), .real(-0.25), .missing, .missing],
        [
          .null, .text("日本語 text that is longer than a word"), .missing, .text(#"[ 1 , "a]" ]"#),
          .missing,
        ],
        [.missing, .missing, .missing, .missing, .missing],
      ])
  }

  @Test func `a document cut anywhere ends too early`() throws {
    let plan = try Self.plan()
    for (format, document) in [Self.documents[0], Self.documents[9], Self.documents[13]] {
      let bytes = Array(document.utf8)
      let whole = scan(bytes, as: format, plan)
      let last = try #require(
        bytes.lastIndex { $0 == UInt8(ascii: "]") || $0 == UInt8(ascii: "}") })
      for end in 0...last {
        let outcomes = scan(bytes[..<end], as: format, plan, chunk: 7)
        let failure = outcomes.last?.failure
        #expect(failure?.code == .unexpectedEnd, "cut at \(end)")
        #expect(failure?.location.offset == end)
        #expect(outcomes.dropLast().elementsEqual(whole.prefix(outcomes.count - 1)))
      }
    }
  }

  @Test func `lines cut anywhere give a prefix of the records`() throws {
    let plan = try Self.plan()
    let bytes = Array(Self.documents[6].1.utf8)
    let whole = scan(bytes, as: .lines, plan)
    var completeCounts: Set<Int> = []
    for end in 0...bytes.count {
      var outcomes = scan(bytes[..<end], as: .lines, plan, chunk: 5)
      if let failure = outcomes.last?.failure {
        #expect(failure.code == .unexpectedEnd)
        outcomes.removeLast()
      } else {
        completeCounts.insert(outcomes.count)
      }
      #expect(outcomes.elementsEqual(whole.prefix(outcomes.count)))
    }
    #expect(completeCounts == [0, 1, 2, 3, 4, 5])
  }

  @Test(
    arguments: [
      ("[{\"a\":1},\n {\"a\":x}]", .unexpectedByte, 16, 2, 7),
      ("[{\"é\":\"\u{1}\"}]", .controlCharacter, 8, 1, 9),
      ("[{\r\n\r\n\"a\":\"\\q\"}]", .invalidEscape, 11, 3, 6),
      ("[{\"a\":01}]", .invalidNumber, 7, 1, 8), ("[{\"a\":1.}]", .invalidNumber, 8, 1, 9),
      ("[{}] \n\n x", .trailingGarbage, 8, 3, 2), ("[{}", .unexpectedEnd, 3, 1, 4),
      ("{}", .misplacedValue, 0, 1, 1), ("\n\n", .unexpectedEnd, 2, 3, 1),
    ] as [(String, JSONSyntaxError.Code, Int, Int, Int)])
  func `errors say where they are`(
    text: String, code: JSONSyntaxError.Code, offset: Int, line: Int, column: Int
  ) throws {
    let plan = try StrataImportTests.plan(("a", .integer))
    for chunk in [1, 3, Int.max] {
      let failure = scan(text.utf8, as: .array, plan, chunk: chunk).last?.failure
      #expect(failure?.code == code)
      #expect(failure?.location == JSONLocation(offset: offset, line: line, column: column))
    }
  }

  @Test func `an error is given again and again`() throws {
    var scanner = JSONRecordScanner(.array, plan: try Self.plan())
    var row = ScannedRecord()
    Array("[}".utf8).withUnsafeBytes { scanner.append($0) }
    for _ in 0..<3 {
      do throws(JSONScanError) {
        _ = try scanner.next(&row)
        Issue.record("no error")
      } catch {
        #expect(
          error
            == .syntax(
              JSONSyntaxError(
                code: .unexpectedByte, location: JSONLocation(offset: 1, line: 1, column: 2),
                message: "unexpected “}”")))
      }
    }
  }

  @Test func `a record is given as soon as its line ends`() throws {
    var scanner = JSONRecordScanner(.lines, plan: try Self.plan())
    var row = ScannedRecord()
    let line = Array("{\"name\":\"\(String(repeating: "x", count: 1000))\"}\n".utf8)
    line.withUnsafeBytes { scanner.append($0) }
    #expect(try scanner.next(&row))
    line.withUnsafeBytes { scanner.append($0) }
    #expect(try scanner.next(&row))
    line.dropLast(2).withUnsafeBytes { scanner.append($0) }
    #expect(try !scanner.next(&row))
    line.suffix(2).withUnsafeBytes { scanner.append($0) }
    #expect(try scanner.next(&row))
    #expect(scanner.location(of: row) == JSONLocation(offset: 2024, line: 3, column: 1))
    #expect(row.json == String(decoding: line.dropLast(), as: UTF8.self))
  }

  @Test func `a long record in single bytes is read in linear time`() throws {
    let text = "[{\"name\":\"\(String(repeating: "é", count: 200_000))\"}]"
    #expect(scan(text.utf8, as: .array, try Self.plan(), chunk: 1).first?.values?.count == 5)
  }
}
