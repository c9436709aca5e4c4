import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Ticket: Entity, Equatable {
  var id = 0
  var seat: Int?
  var insteadOf: Int?

  static let schema = Schema<Ticket>("tickets", key: \.id) {
    Attribute(\.seat).unique()
    toOne(\.insteadOf, Ticket.self, onDelete: .nullify)
  }
  static let json = JSONMapping<Ticket> {
    Field(\.id, "id")
    Field(\.seat, "seat")
    Field(\.insteadOf, "instead_of")
  }
}

/// Rows of a feed that have unique values of rows which the feed lacks.
@Suite(.inTurn, .stack(Ticket.self)) struct AbsentOwnerTests {
  let stack = Stack.test

  private func hear(
    _ records: String, _ commits: ImportOptions.Commits
  ) async throws -> ImportResult {
    try await stack.importJSON(
      Ticket.self, from: .data(Data("[\(records)]".utf8)), mapping: Ticket.json, absent: .delete,
      options: .init { $0.commits = commits })
  }

  /// The edit that gives way kept the absent row, because it refers to it. So the absent row stayed with its
  /// seat, and nothing was left that would have removed it later.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `an edit that gives way to a row of the feed keeps no absent row`(
    _ commits: ImportOptions.Commits
  ) async throws {
    let outbox = try await stack.outbox()
    _ = try await hear(#"{"id":2,"seat":3},{"id":4,"seat":null}"#, commits)
    try await stack.withScratch { $0.insert(Ticket(id: -3, seat: 5, insteadOf: 2)) }
    let result = try await hear(#"{"id":4,"seat":3},{"id":6,"seat":5}"#, commits)
    #expect(try await outbox.refusals().map(\.isSetAside) == [true])
    #expect(
      try await stack.fetch(Ticket.sorted(by: \.id))
        == [Ticket(id: 4, seat: 3), Ticket(id: 6, seat: 5)], "\(result)")
  }
}
