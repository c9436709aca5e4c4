import StrataTestTurns
import Testing

@testable import Strata

private struct Country: Entity {
  var code = ""
  var name = ""
  var id: String {
    get { code }
    set { code = newValue }
  }
  static let schema = Schema<Country>("countries", key: \.id) {
    Attribute(\.id, "iso code")
    Attribute(\.name)
  }
}

/// Keys that are listed among the attributes.
///
/// The listed name must count. A computed key can get a name in no other way, and the error for a
/// key without a name asks for a name.
@Suite(.inTurn) struct KeyAttributeTests {
  @Test func `a key that is listed has the name it is given there`() async throws {
    let table = try Model([Country.self]).table(of: Country.self)
    #expect(table.columns.map(\.name) == ["iso code", "name"])
    let stack = try await Stack.temporary(Country.self)
    try await stack.withScratch { $0.insert(Country(code: "DE", name: "Germany")) }
    #expect(try await stack.fetch(Country.where { $0.id == "DE" }).map(\.name) == ["Germany"])
    await stack.close()
  }
}
