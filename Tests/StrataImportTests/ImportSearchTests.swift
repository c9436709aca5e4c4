import Foundation
import Strata
import StrataImport
import StrataTesting
import StrataTestTurns
import Testing

private struct Sight: Entity, Equatable {
  var id = 0
  var name = ""
  var latitude: Double?
  var longitude: Double?
  static let place = spatial(\.latitude, \.longitude)
  static let schema = Schema<Sight>("sights", key: \.id) {
    Attribute(\.name).fullText()
    Attribute(\.latitude)
    Attribute(\.longitude)
    place
  }
  static let json = JSONMapping<Sight> {
    Field(\.id, "id")
    Field(\.name, "name")
    Field(\.latitude, "lat")
    Field(\.longitude, "lon")
  }
}

@Suite(.inTurn, .stack(Sight.self)) struct ImportSearchTests {
  let stack = Stack.test
  private let everywhere = GeoRegion(south: -90, west: -180, north: 90, east: 180)

  private func importing(_ json: String, absent: AbsentRows = .keep) async throws {
    _ = try await stack.importJSON(
      Sight.self, from: .data(Data(json.utf8)), mapping: Sight.json, absent: absent)
  }

  private func found(_ words: String) async throws -> [Int] {
    try await stack.fetch(Sight.matching(words)).map(\.id)
  }

  private func placed() async throws -> [Int] {
    try await stack.fetch(Sight.where { $0.place.isIn(everywhere) }).map(\.id)
  }

  @Test func `an imported row is found by its words and its place`() async throws {
    try await importing(
      #"""
      [{"id": 1, "name": "Old Mill", "lat": 1, "lon": 2}, {"id": 2, "name": "Mill Pond"},
       {"id": 3, "name": "New Mill", "lat": 91, "lon": 0}]
      """#)
    #expect(try await found("mill") == [1, 2, 3])
    #expect(try await placed() == [1])
    try await importing(
      #"[{"id": 1, "name": "Old Bridge", "lat": null}, {"id": 2, "name": "Mill Pond", "lat": 3, "lon": 4}]"#,
      absent: .delete)
    #expect(try await found("mill") == [2])
    #expect(try await found("bridge") == [1])
    #expect(try await placed() == [2])
  }
}
