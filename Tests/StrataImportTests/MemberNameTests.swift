import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Stop: Entity, Equatable {
  var id = ""
  var name = ""
  static let lines = manyToMany(Line.self)
  static let schema = Schema<Stop>("stops", key: \.id) {
    Attribute(\.name)
    lines
  }
}

private struct Line: Entity, Equatable {
  var id = 0
  var colour: String?
  var stopID: String?
  static let schema = Schema<Line>("lines", key: \.id) {
    Attribute(\.colour)
    toOne(\.stopID, Stop.self, onDelete: .nullify)
  }
}

/// Records that are the members of an object, and names with any characters.
@Suite(.inTurn, .stack(Stop.self, Line.self)) struct MemberNameTests {
  let stack = Stack.test

  private func source(_ json: String) -> JSONSource { .data(Data(json.utf8)) }
  private func stops() async throws -> [Stop] { try await stack.fetch(Stop.all) }
  private func lines() async throws -> [Line] { try await stack.fetch(Line.all) }

  private let named = JSONMapping<Stop> {
    Field(memberName: \.id)
    Field(\.name, "name")
  }

  // npm, PyPI, CLDR, Firebase: an object keyed by id could not be read at all.
  @Test func `an object's members are records, and their names the keys`() async throws {
    let json = #"{"10009": {"name": "a"}, "1\u00e9\"": {"name": "b"}, "c.d[0]": {"name": "c"}}"#
    let expected = [
      Stop(id: "10009", name: "a"), Stop(id: "1é\"", name: "b"), Stop(id: "c.d[0]", name: "c"),
    ]
    let first = try await stack.importJSON(Stop.self, from: source(json), as: .members)
    #expect(first.inserted == 3 && first.missingMembers.isEmpty)
    #expect(try await stops() == expected)
    let again = try await stack.importJSON(
      Stop.self, from: source(#"{"at": 1, "data": {"stops": \#(json)}, "z": []}"#),
      as: .members(at: "data.stops"), mapping: named, absent: .delete)
    #expect(again.unchanged == 3 && again.deleted == 0 && again.incompleteEntities.isEmpty)
    let rest = try await stack.importJSON(
      Stop.self, from: source(#"{"10009": {"name": "z"}}"#), as: .members(at: []), mapping: named,
      absent: .delete)
    #expect(rest.updated == 1 && rest.deleted == 2)
    #expect(try await stops() == [Stop(id: "10009", name: "z")])
    let none = try await stack.importJSON(
      Stop.self, from: source("{ }"), as: .members, mapping: named, absent: .delete)
    #expect(none.deleted == 1)
  }

  @Test func `a name that is a number is a number, and a member before it`() async throws {
    let mapping = JSONMapping<Line> {
      Field(\.id, "number").orMemberName()
      Field(\.colour, "colour")
    }
    _ = try await stack.importJSON(
      Line.self, from: source(#"{"7": {"colour": "red"}, "x": {"number": 8}}"#), as: .members,
      mapping: mapping)
    #expect(try await lines().map(\.id) == [7, 8])
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        Line.self, from: source(#"{"9": {}, "x": {}}"#), as: .members, mapping: mapping)
    }
    #expect(error?.code == .invalidValue && error?.message.contains("name of the member") == true)
  }

  @Test func `the values of members may be plain, or of no interest`() async throws {
    let colours = JSONMapping<Line> {
      Field(memberName: \.id)
      Field(value: \.colour)
    }
    _ = try await stack.importJSON(
      Line.self, from: source(#"{"7": "red", "8": null, "9": "blue"}"#), as: .members,
      mapping: colours)
    #expect(try await lines().map(\.colour) == ["red", nil, "blue"])
    let keys = JSONMapping<Stop> { Field(memberName: \.id) }
    _ = try await stack.importJSON(
      Stop.self, from: source(#"{"a": true, "b": {"c": [1]}, "d": 0}"#), as: .members, mapping: keys
    )
    #expect(try await stops().map(\.id) == ["a", "b", "d"])
  }

  @Test func `arrays inside of records may be objects, and records of documents, too`() async throws
  {
    let document = JSONDocument {
      JSONRecords(
        membersOf: "stops",
        JSONMapping<Stop> {
          Field(memberName: \.id)
          NestedArray(
            "lines",
            JSONMapping<Line> {
              Field(memberName: \.id)
              Field(\.colour, "colour")
            }, \.stopID)
        })
      JSONRecords.member("total")
    }
    let result = try await stack.importJSON(
      document,
      from: source(#"{"stops": {"a": {"lines": {"1": {"colour": "red"}, "2": {}}}}, "total": 1}"#))
    #expect(result.members["total"] == "1")
    #expect(
      try await lines() == [Line(id: 1, colour: "red", stopID: "a"), Line(id: 2, stopID: "a")])
    let nothing = try await stack.importJSON(
      document, from: source(#"{"stops": null, "total": 0}"#), absent: .delete)
    #expect(nothing.deleted == 0 && nothing.incompleteEntities.map(\.reason) == [.missingArray])
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(document, from: source(#"{"stops": {"b": {"lines": [1]}}}"#))
    }
    #expect(error?.message.contains("expected an object") == true, "\(String(describing: error))")
  }

  @Test func `a member tells the members of an object apart`() async throws {
    let document = JSONDocument {
      JSONRecords(membersOf: "", named).when("type", is: "stop")
      JSONRecords(Line.self, membersOf: "").when("type", is: "line")
    }
    _ = try await stack.importJSON(
      document,
      from: source(#"{"1": {"type": "line", "colour": "red"}, "a": {"type": "stop", "name": "A"}}"#)
    )
    #expect(try await lines().map(\.id) == [1])
    #expect(try await stops().map(\.id) == ["a"])
  }

  @Test func `a document that is cut, or has an array there, is refused at any chunk`() async throws
  {
    let json = #"{"a": {"name": "x"}, "b": {"name": "y"}}"#
    for count in 1..<json.utf8.count {
      await #expect(throws: ImportError.self, "\(count)") {
        try await stack.importJSON(
          Stop.self, from: .data(Data(json.utf8.prefix(count))), as: .members, mapping: named)
      }
    }
    for size in [1, 2, 3, 7] {
      let bytes = Array(json.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map {
        Data(bytes[$0..<min($0 + size, bytes.count)])
      }
      let source = JSONSource.chunks(
        AsyncStream { continuation in
          for chunk in chunks { continuation.yield(chunk) }
          continuation.finish()
        })
      let result = try await stack.importJSON(Stop.self, from: source, as: .members, mapping: named)
      #expect(result.inserted + result.unchanged + result.updated == 2)
    }
    for json in ["[]", #"{"a": {}, }"#, #"{"a" {}}"#, #"{1: {}}"#, #"{"a": {}} x"#] {
      await #expect(throws: ImportError.self, "\(json)") {
        try await stack.importJSON(Stop.self, from: source(json), as: .members, mapping: named)
      }
    }
  }

  @Test func `a name outside of an object is missing`() async throws {
    let error = await #expect(throws: ImportError.self) {
      try await stack.importJSON(Stop.self, from: source(#"[{"name": "a"}]"#), mapping: named)
    }
    #expect(error?.code == .invalidValue && error?.message.contains("missing") == true)
    let inside = JSONMapping<Line> {
      Field(\.id, "id")
      NestedObject(\.stopID, "stop", named)
    }
    let refused = await #expect(throws: ImportError.self) {
      try await stack.importJSON(Line.self, from: source("[]"), mapping: inside)
    }
    #expect(refused?.code == .invalidMapping)
  }

  @Test func `an export writes the names, and reads back`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Stop(id: "a\"b", name: "x"))
      scratch.insert(Stop(id: "7", name: "y"))
      scratch.insert(Line(id: 3, colour: "red", stopID: "7"))
    }
    let mapping = JSONMapping<Stop> {
      Field(memberName: \.id)
      Field(\.name, "name")
      NestedArray(
        "lines",
        JSONMapping<Line> {
          Field(memberName: \.id)
          Field(value: \.colour)
        }, \.stopID)
    }
    let json = try await stack.exportJSON(Stop.all, as: .members(at: "s"), mapping: mapping)
    #expect(
      String(decoding: json, as: UTF8.self)
        == "{\"s\":{\n\"7\":{\"name\":\"y\",\"lines\":{\"3\":\"red\"}},\n\"a\\\"b\":{\"name\":\"x\",\"lines\":{}}\n}}\n"
    )
    let result = try await stack.importJSON(
      Stop.self, from: .data(json), as: .members(at: "s"), mapping: mapping)
    #expect(result.unchanged == 3 && result.updated == 0 && result.inserted == 0)
    let automatic = try await stack.exportJSON(Line.all, as: .members)
    let back = try await stack.importJSON(Line.self, from: .data(automatic), as: .members)
    #expect(back.unchanged == 1)
    let error = await #expect(throws: ImportError.self) {
      try await stack.exportJSON(Stop.all, mapping: mapping)
    }
    #expect(error?.code == .invalidMapping)
  }

  // MARK: Names with dots and brackets

  // "Sp. Attack" was nil in all rows, and only `missingMembers` told.
  @Test(arguments: [
    (#"base['Sp. Attack']"#, #"{"base": {"Sp. Attack": "x"}}"#), (#"['.tag']"#, #"{".tag": "x"}"#),
    (#"["v1.0"]"#, #"{"v1.0": "x"}"#), (#"['a[0]']"#, #"{"a[0]": "x"}"#),
    (#"a[1]['b.c'].d"#, #"{"a": [0, {"b.c": {"d": "x"}}]}"#), (#"['it\'s']"#, #"{"it's": "x"}"#),
    (#"['']"#, #"{"": "x"}"#),
  ])
  func `a name in brackets may have any characters`(_ key: String, _ json: String) async throws {
    let mapping = JSONMapping<Stop> {
      Field(\.id, "id")
      Field(\.name, key)
    }
    let result = try await stack.importJSON(
      Stop.self, from: source("[{\"id\": \"1\", \(json.dropFirst())]"), mapping: mapping)
    #expect(try await stops() == [Stop(id: "1", name: "x")])
    #expect(result.missingMembers.isEmpty)
    if !key.contains("[1]") {
      let exported = try await stack.exportJSON(Stop.all, mapping: mapping)
      let back = try await stack.importJSON(Stop.self, from: .data(exported), mapping: mapping)
      #expect(back.unchanged == 1)
    }
  }

  @Test func `every place that names a member takes such names`() async throws {
    let mapping = JSONMapping<Stop> {
      Field(\.id, "['i.d']").or("id")
      NestedArray(Stop.lines, "['li.nes']", JSONMapping<Line> { Field(\.id, "id") })
      Tombstone(ifTrue: "['.gone']")
    }
    let json = #"""
      {"v1.0": {"a.b": [{"i.d": "1", "li.nes": [{"id": 5}]}, {"i.d": "2", ".gone": true}]}, "n.m": 3}
      """#
    let document = JSONDocument {
      JSONRecords(at: "['v1.0']['a.b']", mapping)
      JSONRecords.member("['n.m']")
    }
    let result = try await stack.importJSON(document, from: source(json))
    #expect(result.members["['n.m']"] == "3")
    #expect(try await stops().map(\.id) == ["1"])
    #expect(try await lines().map(\.id) == [5])
    _ = try await stack.importJSON(
      Stop.self, from: source(json), as: .array(at: "['v1.0']['a.b']"), mapping: mapping)
    let keys = JSONMapping<Stop> {
      Field(\.id, "id")
      NestedKeys(Stop.lines, "['k.s']", at: "['i.d']")
    }
    _ = try await stack.importJSON(
      Stop.self, from: source(#"[{"id": "1", "k.s": [{"i.d": 5}]}, {"id": "8", "k.s": []}]"#),
      mapping: keys)
    #expect(try await stack.fetch(Stop.where { $0.lines.count > 0 }).map(\.id) == ["1"])
    let wrong = await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        JSONDocument { JSONRecords(at: "a[0]", mapping) }, from: source("{}"))
    }
    #expect(wrong?.code == .invalidMapping)
  }

  @Test func `the text of any path reads back`() throws {
    var random = SeededRandom.printingSeed()
    let letters = Array("ab.[]'\"\\ é0")
    for _ in 0..<5_000 {
      let steps = (0...random.below(4)).map { _ in
        random.oneIn(4)
          ? JSONPath.Step.index(random.below(20))
          : .key(String((0..<random.below(6)).map { _ in random.pick(letters) }))
      }
      let path = JSONPath(steps)
      #expect(try JSONPath(path.description) == path, "\(steps)")
    }
  }
}
