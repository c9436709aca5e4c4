import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private struct User: Entity, Equatable {
  var id = 0
  var name: String?
  var team = 0
  var seat = 0
  static let schema = Schema<User>("users", key: \.id) {
    Attribute(\.name).unique()
    Attribute(\.team)
    Attribute(\.seat)
    Unique(\.team, \.seat)
  }
}

/// Tests that an import leaves out a record with a duplicate value, as it leaves out other refused
/// records.
@Suite(.inTurn, .stack(User.self)) struct UniqueImportTests {
  let stack = Stack.test

  init() async throws {
    try await stack.withScratch { scratch in
      for id in 1...4 { scratch.insert(User(id: id, name: "n\(id)", team: 1, seat: id)) }
    }
  }

  private func importing(
    _ records: String..., commits: ImportOptions.Commits = .batched
  ) async throws -> ImportResult {
    try await stack.importJSON(
      User.self, from: .data(Data("[\(records.joined(separator: ","))]".utf8)),
      options: .init {
        $0.refusedRecords = .skip()
        $0.commits = commits
      })
  }

  private func names() async throws -> [String?] { try await stack.fetch(User.all).map(\.name) }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a record whose unique value is taken is left out`(
    commits: ImportOptions.Commits
  ) async throws {
    let result = try await importing(
      #"{"id": 5, "name": "n1", "team": 2}"#, #"{"id": 6, "name": "new", "team": 3}"#,
      #"{"id": 7, "name": "new", "team": 4}"#, #"{"id": 2, "name": "n3"}"#,
      #"{"id": 8, "name": null, "team": 1, "seat": 4}"#, #"{"id": 9, "name": null, "team": 9}"#,
      commits: commits)
    #expect(result.skipped == 4 && result.inserted == 2 && result.updated == 0)
    #expect(result.refused.map(\.message).contains { $0.contains("name of 7") })
    #expect(try await names() == ["n1", "n2", "n3", "n4", "new", nil])
  }

  @Test func `values that move within a batch are no collision`() async throws {
    let result = try await importing(
      #"{"id": 1, "name": "n2"}"#, #"{"id": 2, "name": "n1"}"#, #"{"id": 3, "name": "x"}"#,
      #"{"id": 5, "name": "n3", "team": 2}"#)
    #expect(result.skipped == 0 && result.updated == 3 && result.inserted == 1)
    #expect(try await names() == ["n2", "n1", "x", "n4", "n3"])
  }

  @Test
  func `a user that is left out of an import keeps the unique value that another user wanted`()
    async throws
  {
    // User 4 has the new name of user 1, so user 1 keeps n1. User 2 cannot have n1 and keeps n2.
    // User 3 cannot have n2.
    let result = try await importing(
      #"{"id": 1, "name": "n4"}"#, #"{"id": 2, "name": "n1"}"#, #"{"id": 3, "name": "n2"}"#)
    #expect(result.skipped == 3)
    #expect(try await names() == ["n1", "n2", "n3", "n4"])
  }
}
