import Foundation
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONSyntaxTests {
  static let valid = [
    "0", "-0", "-0.0", "10", "1.5", "1e5", "1E+5", "1e-5", "-1.25e10", "9223372036854775807",
    "true",
    "false", "null", "\"\"", "\"a\"", "[]", "{}", "[[]]", "[{}]", "{\"\":{}}", "[1,2]",
    " [ 1 , 2 ] ", "\t\r\n{ \"a\" : [ ] } ", "{\"a\":1,\"a\":2}", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "\"\\u0041\"", "\"\\u00e9\"", "\"\\uD83D\\uDE00\"", "\"\\u0000\"", "\"é€😀\"", "\"\u{7F}\"",
    "\"\u{10FFFF}\"", "\"\u{2028}\"", "[\"12345678\",\"1234567\\n\",\"123456789\"]",
    "{\"long key that has more than sixteen bytes\":null}",
  ]

  static let invalid = [
    "", " ", "+1", ".5", "1.", "01", "-", "-01", "1e", "1e+", "0x1", "1.e5", "--1", "NaN",
    "Infinity",
    "tru", "truE", "nul", "nulll", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{",
    "}", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}",
    "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{1:2}", "[1}", "{\"a\":1]", "\"", "\"a", "\"\\", "\"\\\"",
    "\"\\x\"", "\"\\u\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"", "\"\n\"", "\"\t\"",
    "\"\u{0}\"", "\"\u{1F}\"", "1 2", "[] []", "{}{}", "[1]x", "\u{0}", "1\u{0}", "// a\n1",
    "[1] // a", "\u{A0}1", "'a'",
  ]

  /// Texts that Foundation accepts although RFC 8259 forbids them: a trailing comma, and NUL after
  /// the value.
  static let exceptions: Set<String> = ["[1,]", "{\"a\":1,}", "1\u{0}"]

  @Test(arguments: valid) func `a text that RFC 8259 allows is accepted`(text: String) {
    #expect(fault(in: text.utf8) == nil)
    #expect(foundationAccepts(text) != Self.exceptions.contains(text))
  }

  @Test(arguments: invalid) func `a text that RFC 8259 forbids is refused`(text: String) {
    #expect(fault(in: text.utf8) != nil)
    #expect(foundationAccepts(text) == Self.exceptions.contains(text))
  }

  private func foundationAccepts(_ text: String) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil
  }

  @Test(
    arguments: [
      ([0xC0, 0x80], "overlong"), ([0xC1, 0xBF], "overlong"), ([0xE0, 0x9F, 0xBF], "overlong"),
      ([0xF0, 0x8F, 0xBF, 0xBF], "overlong"), ([0xED, 0xA0, 0x80], "surrogate"),
      ([0xED, 0xBF, 0xBF], "surrogate"), ([0xF4, 0x90, 0x80, 0x80], "above U+10FFFF"),
      ([0xF5, 0x80, 0x80, 0x80], "above U+10FFFF"), ([0x80], "continuation alone"),
      ([0xC3], "cut"), ([0xE2, 0x82], "cut"), ([0xF0, 0x9F, 0x98], "cut"), ([0xFF], "never used"),
      ([0xC3, 0x28], "no continuation"), ([0xE2, 0x28, 0xA1], "no continuation"),
    ] as [([UInt8], String)])
  func `bytes that are not UTF-8 are refused in strings`(bytes: [UInt8], why: String) {
    for length in 0..<20 {
      let text =
        Array("[\"\(String(repeating: "x", count: length))".utf8) + bytes + Array("\"]".utf8)
      let found = fault(in: text)
      #expect(found?.code == .invalidUTF8, "\(why)")
      #expect(found?.position == 2 + length)
      #expect(fault(in: text, chunk: 1)?.position == 2 + length)
    }
  }

  @Test func `every Unicode scalar survives`() throws {
    let plan = try plan(("[0]", .text))
    for start in stride(from: 0x80, to: 0x110000, by: 0x400) {
      let text = String(
        String.UnicodeScalarView((start..<start + 0x400).compactMap(Unicode.Scalar.init)))
      #expect(scan("[[\"\(text)\"]]", plan).first?.values == [.text(text)])
    }
  }

  @Test(arguments: [
    "\\ud83d", "\\ud83dx", "\\ude00", "\\ud83d\\n", "\\ud83d\\u0041", "\\uDBFF\\uD800",
  ])
  func `half a surrogate pair is refused`(escape: String) {
    #expect(fault(in: "\"ab\(escape)\"".utf8)?.code == .loneSurrogate)
    #expect(fault(in: "\"ab\(escape)\"".utf8)?.position == 3)
  }

  @Test func `escapes are decoded`() throws {
    let plan = try plan(("a", .text))
    let json = #"[{"a":"\"\\\/\b\f\n\r\t-\u0041\u00e9\u20AC\uD83D\uDE00-\u0000-end"}]"#
    #expect(
      scan(json, plan).first?.values
        == [.text("\"\\/\u{8}\u{c}\n\r\t-Aé€😀-\u{0}-end")])
  }

  @Test func `512 levels are read and 513 refused`() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ depth: Int, in middle: String) -> String {
        String(repeating: open, count: depth) + middle + String(repeating: close, count: depth)
      }
      #expect(fault(in: nested(512, in: "1").utf8) == nil)
      let found = fault(in: nested(513, in: "1").utf8)
      #expect(found?.code == .tooDeep)
      #expect(found?.position == 512 * open.utf8.count)
    }
  }

  @Test func `the array of records counts as a level`() throws {
    let plan = try plan(("a", .json))
    func records(_ depth: Int) -> String {
      "[{\"a\":\(String(repeating: "[", count: depth))\(String(repeating: "]", count: depth))}]"
    }
    #expect(scan(records(510), plan).count == 1)
    #expect(scan(records(510), plan).first?.failure == nil)
    #expect(scan(records(511), plan).first?.failure?.code == .tooDeep)
  }

  @Test(arguments: [1, 7, Int.max])
  func `a value beside the records counts its levels whatever the chunks`(chunk: Int) throws {
    func document(_ depth: Int) -> String {
      let (open, close) = (
        String(repeating: "[", count: depth), String(repeating: "]", count: depth)
      )
      return "{\"skip\":\(open)\(close),\"features\":[]}"
    }
    let plan = try plan(("a", .json))
    #expect(scan(document(511).utf8, as: .featureCollection, plan, chunk: chunk).isEmpty)
    let failure = scan(document(512).utf8, as: .featureCollection, plan, chunk: chunk).first?
      .failure
    #expect(failure?.code == .tooDeep)
    #expect(failure?.location.offset == 8 + 511)
  }

  @Test func `a skipped value cut anywhere gives the same verdict`() {
    for text in Self.valid + Self.invalid {
      for chunk in [1, 2, 3, 7, 8, 9] {
        let (whole, cut) = (fault(in: text.utf8), fault(in: text.utf8, chunk: chunk))
        #expect(whole?.code == cut?.code, "\(text)")
        #expect(whole?.position == cut?.position, "\(text)")
      }
    }
  }
}
