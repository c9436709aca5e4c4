import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Place: Embedded {
  var city = ""
  var zip = ""
}

private struct Forgetful: Entity {
  var id: Int64 = 0
  var title = ""
  var notes = ""
  var place = Place()
  static let schema = Schema<Forgetful>("forgetful", key: \.id) {
    Attribute(\.title)
    Attribute(\.place.city)
  }
}

private struct Careful: Entity {
  var id: Int64 = 0
  var title = ""
  var isPlaying = false
  var place = Place()
  var empty: Void = ()
  static let schema = Schema<Careful>("careful", key: \.id) {
    Attribute(\.title)
    Ignored(\.isPlaying)
    Ignored(\.place)
  }
}

@propertyWrapper private struct Trimmed: Sendable {
  private var text = ""
  var wrappedValue: String {
    get { text }
    set { text = String(newValue.drop { $0 == " " }) }
  }
}

/// Properties that the compiler gives other storage.
private struct Observed: Entity {
  var id: Int64 = 0
  var title = "" { didSet { changes += 1 } }
  @Trimmed var note
  var changes = 0
  static let schema = Schema<Observed>("observed", key: \.id) {
    Attribute(\.title, "title")
    Attribute(\.note, "note")
    Ignored(\.changes)
  }
}

/// A computed attribute does not stand for a property of another type.
private struct Shouting: Entity {
  var id: Int64 = 0
  var title = ""
  var count = 0
  var shout: String {
    get { title.uppercased() }
    set { title = newValue.lowercased() }
  }
  static let schema = Schema<Shouting>("shouting", key: \.id) {
    Attribute(\.title)
    Attribute(\.shout, "shout")
  }
}

private struct Twice: Entity {
  var id: Int64 = 0
  var title = ""
  static let schema = Schema<Twice>("twice", key: \.id) {
    Attribute(\.title)
    Ignored(\.title)
  }
}

@Suite(.inTurn) struct IgnoredPropertyTests {
  @Test func `a stored property that the schema does not list is refused`() throws {
    let error = #expect(throws: StoreError.self) { try Model([Forgetful.self]) }
    #expect(error?.code == .invalidSchema && error?.entity == "Forgetful")
    #expect(error?.attributes == ["notes", "place.zip"])
    let message = try #require(error?.message)
    #expect(
      message.contains("IgnoredPropertyTests.swift:17: the schema of Forgetful does not list"))
    #expect(
      error?.advice.hasSuffix("\n    Attribute(\\.notes)\n    Attribute(\\.place.zip)") == true)
  }

  @Test func `a computed attribute stands for no property of another type`() {
    let error = #expect(throws: StoreError.self) { try Model([Shouting.self]) }
    #expect(error?.attributes == ["count"])
  }

  @Test func `a property is either an attribute or ignored`() {
    let error = #expect(throws: StoreError.self) { try Model([Twice.self]) }
    #expect(error?.code == .invalidSchema && error?.attributes == ["title"])
  }

  @Test func `observed and wrapped properties are attributes`() throws {
    let table = try Model([Observed.self]).table(of: Observed.self)
    #expect(table.columns.map(\.name) == ["id", "title", "note"])
  }

  @MainActor @Test func `an ignored property is not stored`() async throws {
    let stack = try await Stack.temporary(Careful.self)
    let live = try await stack.viewContext.loaded(Careful.all)
    stack.viewContext.insert(
      Careful(id: 1, title: "a", isPlaying: true, place: Place(city: "Kiel")))
    #expect(live.elements.first?.isPlaying == false && live.elements.first?.title == "a")
    try await stack.viewContext.save()
    let stored = try await stack.viewContext.fetch(Careful.all)
    #expect(stored.map(\.isPlaying) == [false] && stored.map(\.place.city) == [""])
    await stack.close()
  }
}
