import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct JSONPlanTests {
  @Test func `paths lead through objects and arrays`() throws {
    let plan = try plan(
      ("id", .text), ("properties.mag", .real), ("geometry.coordinates[0]", .real),
      ("geometry.coordinates[2]", .real), ("geometry.type", .text), ("tags[1].name", .text))
    let json = """
      [{"type":"Feature","id":"a","properties":{"x":[{}],"mag":1.5},
        "geometry":{"type":"Point","coordinates":[1,2,3,4]},"tags":[0,{"name":"n"},{}]},
       {"geometry":{"coordinates":[9]},"id":"b","tags":[]}]
      """
    #expect(
      scan(json, plan).map(\.values) == [
        [.text("a"), .real(1.5), .real(1), .real(3), .text("Point"), .text("n")],
        [.text("b"), .missing, .real(9), .missing, .missing, .missing],
      ])
  }

  @Test func `indexes may be listed in any order`() throws {
    let plan = try plan(("c[2]", .integer), ("c[0]", .integer), ("c[10]", .integer))
    #expect(scan(#"[{"c":[5,6,7]}]"#, plan).first?.values == [.integer(7), .integer(5), .missing])
  }

  @Test func `keys are found in any order, escaped, short and long`() throws {
    let keys = [
      "", "a", "seven77", "eight888", "nine99999", "sixteen_16_bytes", "seventeen_bytes_17",
    ]
    let columns = keys.map { JSONColumn(JSONPath([.key($0)]), .integer) }
    let plan = try JSONPlan(columns)
    var generator = SeededRandom(seed: 1)
    for _ in 0..<200 {
      let order = keys.indices.shuffled(using: &generator)
      let members = order.map { index in
        let key = keys[index]
        let escaped = key.unicodeScalars.first.map {
          "\\u00\(String($0.value, radix: 16))\(key.dropFirst())"
        }
        return "\"\(Bool.random(using: &generator) ? key : escaped ?? key)\" : \(index)"
      }
      let text = "[{\(members.joined(separator: ","))}]"
      let expected: [Value] = keys.indices.map { .integer(Int64($0)) }
      #expect(scan(text, plan).first?.values == expected, "\(text)")
    }
  }

  @Test func `keys that only resemble an expected one are not it`() throws {
    let plan = try plan(("key", .integer), ("seventeen_bytes_17", .integer))
    let json =
      #"[{"ke":1,"keyy":2,"Key":3,"key\u0000":4,"seventeeX_bytes_17":5,"seventeen_bytes_1":6}]"#
    #expect(scan(json, plan).first?.values == [.missing, .missing])
  }

  @Test func `a key that needs escaping in JSON is matched by its meaning`() throws {
    let key = "a\":1,\"b\\"
    let plan = try JSONPlan([JSONColumn(JSONPath([.key(key)]), .integer)])
    #expect(scan(#"[{"a\":1,\"b\\":7}]"#, plan).first?.values == [.integer(7)])
    #expect(scan(#"[{"a":1,"b":7}]"#, plan).first?.values == [.missing])
    // The text has the bytes of the key, also between quotes. But the bytes are two keys and a
    // value.
    #expect(scan(#"[{"a":1,"b\"x":7}]"#, plan).first?.values == [.missing])
  }

  @Test func `the last of several members with one name wins with all that is inside`() throws {
    let plan = try plan(("a", .integer), ("o.x", .integer), ("o.y", .integer))
    let json = #"[{"a":1,"o":{"x":1},"a":2,"o":{"y":2}},{"a":1,"a":null,"o":{"x":1},"o":null}]"#
    #expect(
      scan(json, plan).map(\.values) == [
        [.integer(2), .missing, .integer(2)], [.null, .null, .null],
      ])
  }

  @Test func `null is told from missing`() throws {
    let plan = try plan(("a", .text), ("b", .json), ("o.x", .integer))
    #expect(
      scan(#"[{"a":null,"b":null,"o":null},{}]"#, plan).map(\.values)
        == [[.null, .null, .null], [.missing, .missing, .missing]])
  }

  @Test func `JSON columns keep a value's text, custom columns a string's meaning`() throws {
    let plan = try plan(("a", .json), ("b", .custom(0)))
    let json =
      #"[{"a": [1, {"x":"\n"} ] ,"b":"\u0041"},{"a":"s","b": -1.50 },{"a":1,"b":{"c":[]}}]"#
    #expect(
      scan(json, plan).map(\.values) == [
        [.text(#"[1, {"x":"\n"} ]"#), .text("A")], [.text(#""s""#), .text("-1.50")],
        [.text("1"), .text(#"{"c":[]}"#)],
      ])
  }

  @Test func `UUIDs and base 64 become blobs`() throws {
    let plan = try plan(("u", .uuid), ("b", .base64))
    let json =
      #"[{"u":"00112233-4455-6677-8899-aAbBcCdDeEfF","b":"AP\/+AA=="},{"b":""},{"b":"_-8"}]"#
    let outcomes = scan(json, plan).map(\.values)
    let uuid: [UInt8] = [0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]
    #expect(
      outcomes == [
        [.blob(uuid), .blob([0, 255, 254, 0])], [.missing, .blob([])],
        [.missing, .blob([255, 239])],
      ])
    for bad in ["A", "A===", "AB=C", "AAA=A", "AA=", "A A=", "AB==", "é"] {
      #expect(
        scan("[{\"b\":\"\(bad)\"}]", plan).first?.refusal?.problem == .invalidBase64, "\(bad)")
    }
    for bad in [
      "", "00112233-4455-6677-8899-aabbccddeef", "0011223304455-6677-8899-aabbccddeeff",
      "g0112233-4455-6677-8899-aabbccddeeff",
    ] {
      #expect(scan("[{\"u\":\"\(bad)\"}]", plan).first?.refusal?.problem == .invalidUUID, "\(bad)")
    }
  }

  @Test func `a refused record does not stop the others`() throws {
    let plan = try JSONPlan([
      JSONColumn(try JSONPath("id"), .integer, isRequired: true),
      JSONColumn(try JSONPath("o.n"), .text),
    ])
    let json = """
      [{"id":1,"o":{"n":"x"}},
       {"o":{}},
       {"id":null},
       {"id":"7","o":{"n":3}},
       {"id":8,"o":[1,{}]},
       "text",
       {"id":9}]
      """
    let outcomes = scan(json, plan)
    #expect(
      outcomes.map(\.values) == [
        [.integer(1), .text("x")], nil, nil, nil, nil, nil, [.integer(9), .missing],
      ])
    #expect(
      outcomes.compactMap(\.refusal).map(\.description) == [
        "id: required and missing at line 2, column 2 (byte 26)",
        "id: required and null at line 3, column 2 (byte 37)",
        #"id: expected a number, found "7" at line 4, column 8 (byte 57)"#,
        "o: expected an object, found [1,{}] at line 5, column 14 (byte 88)",
        #"record: expected an object, found "text" at line 6, column 2 (byte 98)"#,
      ])
    #expect(outcomes.compactMap(\.refusal).map(\.slot) == [0, 0, 0, nil, nil])
  }

  @Test func `a syntax error wins over a value that does not fit`() throws {
    let outcomes = scan(#"[{"a":"x","b":tru}]"#, try plan(("a", .integer)))
    #expect(outcomes.map(\.failure?.code) == [.unexpectedByte])
  }

  @Test func `a long value is shortened between characters`() throws {
    let text = String(repeating: "é", count: 100)
    let error = scan("[{\"a\":\"\(text)\"}]", try plan(("a", .integer))).first?.refusal
    #expect(error?.found == "\"" + String(repeating: "é", count: 38) + "…")
  }

  @Test(arguments: [
    "", ".a", "a.", "a..b", "a[", "a[x]", "a[-1]", "a[1", "a[1]b", "[]", "a.[0]", "['a'", "['a]",
    "['a'b]", #"['a\b']"#, "a['b']c", "a.['b']", #"['a"]"#,
  ])
  func `text that is no path is refused`(text: String) {
    #expect(throws: JSONPlanError.invalidPath(text)) { try JSONPath(text) }
  }

  @Test func `columns in each other's way are refused`() throws {
    #expect(throws: JSONPlanError.conflict("a")) { try plan(("a", .text), ("a.b", .integer)) }
    #expect(throws: JSONPlanError.conflict("a")) { try plan(("a.b", .json), ("a", .integer)) }
    #expect(throws: JSONPlanError.conflict("a")) {
      try plan(("a", .json), ("a.b", .json), ("a", .text))
    }
    #expect(throws: JSONPlanError.conflict("a")) { try plan(("a.b", .json), ("a[0]", .integer)) }
    #expect(throws: JSONPlanError.emptyPath) {
      try JSONPlan([JSONColumn(JSONPath([]), .json), JSONColumn(JSONPath([.key("a")]), .json)])
    }
  }

  @Test func `an object or array is read as a whole beside its parts`() throws {
    let plan = try plan(("a[1].b", .integer), ("a", .json), ("c", .custom(1)), ("c.d", .text))
    let json = #"[{"a": [0, {"b": 5}], "c": {"d" : "é"}}, {"c": null, "a": []}, {}]"#
    #expect(
      scan(json.utf8, plan).map(\.values) == [
        [.integer(5), .text(#"[0, {"b": 5}]"#), .text(#"{"d" : "é"}"#), .text("é")],
        [.missing, .text("[]"), .null, .null],
        [.missing, .missing, .missing, .missing],
      ])
    // If a key occurs twice, the last value counts, as a whole and in its parts.
    #expect(
      scan(#"[{"a": [0, {"b": 5}], "a": [1]}]"#.utf8, plan).map(\.values)
        == [[.missing, .text("[1]"), .missing, .missing]])
  }

  @Test func `paths can be written and read back`() throws {
    for text in [
      "id", "a.b.c", "geometry.coordinates[0]", "[3].x", "a[1][2].b", "base['Sp. Attack']",
      "['.tag'].x", "['']", #"a['it\'s.'][0]"#,
    ] {
      #expect(try JSONPath(text).description == text)
    }
  }
}
