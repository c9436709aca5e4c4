import StrataTestTurns
import Testing

@testable import Strata

private struct City: Embedded {
  var name = ""
  var zip: Int64?
}

private struct Address: Embedded {
  var street = ""
  var city = City()
  var isHome = false
}

private struct Person: Entity {
  var id: Int64 = 0
  var isActive = false
  var small: Int8 = 0
  var first = ""
  var last = ""
  var age: Int?
  var address = Address()
  /// A property that is not stored.
  var selection: Set<Int> = []
  var note = ""

  var fullName: String {
    get { first + " " + last }
    set { first = newValue }
  }

  static let schema = Schema<Person>("people", key: \.id) {
    Attribute(\.note)
    Attribute(\.isActive)
    Attribute(\.small)
    Attribute(\.last)
    Attribute(\.first)
    Attribute(\.age, "years")
    Attribute(\.address.street)
    Attribute(\.address.city.zip)
    Attribute(\.address.city.name)
    Attribute(\.address.isHome)
    Attribute(\.fullName, "full name")
    Ignored(\.selection)
  }
}

private struct Nameless: Entity {
  var id: Int64 = 0
  var text = ""
  var shout: String {
    get { text }
    set { text = newValue }
  }
  static let schema = Schema<Nameless>("nameless", key: \.id) {
    Attribute(\.shout)
    Attribute(\.text)
  }
}

/// `Mirror` shows the value inside `anything`, which is smaller than the property.
private struct Opaque: Entity {
  var id: Int64 = 0
  var anything: any Sendable = 1 as Int32
  var title = ""
  static let schema = Schema<Opaque>("opaque", key: \.id) { Attribute(\.title) }
}

/// A layout that leaves out the rest of `anything` would place `third` where `first` is.
private struct Shifted: Entity {
  var id: Int64 = 0
  var anything: any Sendable = 1 as Int64
  var first: Int64 = 0
  var second: Int64 = 0
  var third: Int64 = 0
  var fourth: Int64 = 0
  static let schema = Schema<Shifted>("shifted", key: \.id) { Attribute(\.first) }
}

private struct NamedOpaque: Entity {
  var id: Int64 = 0
  var title = ""
  static let schema = Schema<NamedOpaque>("named", key: \.id) { Attribute(\.title, "Title") }
}

@Suite(.inTurn) struct AttributeNameTests {
  @Test func `columns are named after their properties, in the schema's order`() throws {
    let table = try Model([Person.self]).table(of: Person.self)
    #expect(
      table.columns.map(\.name) == [
        "id", "note", "isActive", "small", "last", "first", "years", "address_street",
        "address_city_zip", "address_city_name", "address_isHome", "full name",
      ])
    #expect(table.name == "people" && table.entity == "Person")
  }

  @Test func `a column is found by its key path`() throws {
    let table = try Model([Person.self]).table(of: Person.self)
    #expect(table.column(for: \Person.age) == 6)
    #expect(table.column(for: \Person.address.city.name) == 9)
    #expect(table.column(for: \Person.id) == Table.keyColumn)
    #expect(table.column(for: \Person.selection) == nil)
    #expect(table.attributeName(6) == "Person.years")
  }

  @Test func `a column has the storage of its type and is null only for optionals`() throws {
    let columns = try Model([Person.self]).table(of: Person.self).columns
    #expect(columns.filter(\.isOptional).map(\.name) == ["years", "address_city_zip"])
    #expect(columns.filter { $0.storage == .integer }.count == 6)
    #expect(columns.filter { $0.storage == .text }.count == 6)
  }

  @Test func `embedded and computed attributes are stored like others`() async throws {
    let stack = try await Stack.temporary(Person.self)
    var person = Person(id: 1, isActive: true, small: -3, first: "Miles", last: "Davis", age: 65)
    person.address = Address(
      street: "77th", city: City(name: "New York", zip: 10_024), isHome: true)
    person.selection = [1, 2]
    try await stack.withScratch { [person] in $0.insert(person) }
    let found = try #require(try await stack.fetch(Person.all).first)
    #expect(found.address.street == "77th" && found.address.isHome)
    #expect(found.address.city.name == "New York" && found.address.city.zip == 10_024)
    // The computed attribute is assigned last, in the schema's order.
    #expect(found.first == "Miles Davis" && found.last == "Davis" && found.selection.isEmpty)
    #expect(found.small == -3 && found.isActive && found.age == 65)
    let query = Person.where { $0[\.address.city.name] == "New York" && $0.age > 60 }
    #expect(try await stack.fetch(query).count == 1)
    await stack.close()
  }

  @Test(arguments: [Nameless.self, Opaque.self, Shifted.self] as [any Entity.Type])
  func `an attribute whose name cannot be found needs one`(type: any Entity.Type) {
    let error = #expect(throws: StoreError.self) { _ = try Model([type]) }
    #expect(error?.code == .invalidSchema && error?.entity == "\(type)")
    #expect(error?.message.contains("AttributeNameTests.swift") == true)
    #expect(error?.message.contains("name this attribute of \(type)") == true)
  }

  @Test func `an explicit name is taken as it is`() throws {
    let table = try Model([NamedOpaque.self]).table(of: NamedOpaque.self)
    #expect(table.columns.map(\.name) == ["id", "Title"])
  }
}
