import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct Guest: Entity, Equatable {
  var id = Key<Guest>()
  var name = ""
  var age: Int?
  var hostID: Guest.ID?

  static let host = toOne(\.hostID, Guest.self, onDelete: .nullify)
  static let schema = Schema<Guest>("guests", key: \.id) {
    Attribute(\.name).validated(length: 1...)
    Attribute(\.age).validated(0...130)
    host
    Validation<Guest>("is nobody's own guest") { $0.hostID != $0.id }
  }

  static let json = JSONMapping<Guest> {
    Field(\.id, "id")
    Field(\.name, "name")
    Field(\.age, "age")
    Field(\.hostID, "host")
  }
}

@Suite(.inTurn, .stack(Guest.self)) struct ImportValidationTests {
  let stack = Stack.test
  private let keys = (0..<4).map { _ in Guest.ID() }.sorted()

  private func importing(_ objects: [String]) async throws -> ImportResult {
    let json = "[" + objects.joined(separator: ",") + "]"
    return try await stack.importJSON(
      Guest.self, from: .data(Data(json.utf8)), mapping: Guest.json,
      options: ImportOptions(batchSize: 2000))
  }

  @Test func `typed keys are read like UUIDs`() async throws {
    _ = try await importing([
      #"{"id":"\#(keys[0])","name":"A"}"#,
      #"{"id":"\#(keys[1].description.lowercased())","name":"B","host":"\#(keys[0])"}"#,
    ])
    #expect(
      try await stack.fetch(Guest.sorted(by: \.name)) == [
        Guest(id: keys[0], name: "A"), Guest(id: keys[1], name: "B", hostID: keys[0]),
      ])
    let error = await #expect(throws: ImportError.self) {
      try await importing([#"{"id":"no key","name":"A"}"#])
    }
    #expect(error?.code == .invalidValue && error?.path == "id")
  }

  @Test func `a batch names every object that breaks a rule, and nothing of it is written`()
    async throws
  {
    let error = await #expect(throws: ImportError.self) {
      try await importing([
        #"{"id":"\#(keys[0])","name":"A"}"#,
        #"{"id":"\#(keys[1])","name":"","age":-1}"#,
        #"{"id":"\#(keys[2])","name":"C","host":"\#(keys[2])"}"#,
      ])
    }
    #expect(error?.code == .validationFailed && error?.storeError?.code == .validationFailed)
    #expect(
      error?.storeError?.failures.map(\.description) == [
        "Guest.name of \(keys[1]): its length must be at least 1",
        "Guest.age of \(keys[1]): must be between 0 and 130",
        "Guest of \(keys[2]): is nobody's own guest",
      ])
    #expect(error?.result.inserted == 0)
    #expect(try await stack.fetch(Guest.all).isEmpty)
  }

  @Test func `batches before the invalid one stay`() async throws {
    var objects = (0..<2500).map { _ in #"{"id":"\#(Guest.ID())","name":"A"}"# }
    objects.append(#"{"id":"\#(Guest.ID())","name":""}"#)
    let all = objects
    let error = await #expect(throws: ImportError.self) { try await importing(all) }
    #expect(error?.code == .validationFailed && error?.storeError?.failureCount == 1)
    #expect(error?.result.inserted == 2000)
    #expect(try await stack.fetch(Guest.all).count == 2000)
  }
}
