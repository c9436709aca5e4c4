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

private struct Order: Entity, Equatable {
  var id = 0
  var localID = ""

  static let schema = Schema<Order>("orders", key: \.id) { Attribute(\.localID).unique() }
  static let json = JSONMapping<Order> {
    Field(\.id, "id")
    Field(\.localID, "local")
  }.matching(\.localID)
}

private struct Item: Entity, Equatable {
  var id = 0
  var orderID = 0

  static let schema = Schema<Item>("items", key: \.id) {
    toOne(\.orderID, Order.self, onDelete: .cascade)
  }
  static let json = JSONMapping<Item> {
    Field(\.id, "id")
    Field(\.orderID, "order")
  }
}

/// Rows of a feed that have unique values of rows which the feed lacks.
@Suite(.inTurn, .stack(Ticket.self, Order.self, Item.self)) struct AbsentOwnerTests {
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

  /// An order got another key, and with it its items another reference. That counted as a change since the
  /// import had begun, so an item that the feed lacks stayed until the next one.
  @Test(arguments: [true, false], [ImportOptions.Commits.batched, .atomic])
  func `a row whose reference moves with a key is absent all the same`(
    _ itemsFirst: Bool, _ commits: ImportOptions.Commits
  ) async throws {
    let records = [
      JSONRecords(Order.self, at: "orders", Order.json),
      JSONRecords(Item.self, at: "items", Item.json),
    ]
    let document = JSONDocument { itemsFirst ? records.reversed() : records }
    func hear(_ orders: String, _ items: String) async throws -> ImportResult {
      let json = #"{"orders":[\#(orders)],"items":[\#(items)]}"#
      return try await stack.importJSON(
        document, from: .data(Data(json.utf8)), absent: .delete,
        options: .init { $0.commits = commits })
    }
    _ = try await hear(
      #"{"id":4,"local":"a"},{"id":5,"local":"b"}"#,
      #"{"id":7,"order":4},{"id":9,"order":4},{"id":10,"order":5}"#)
    let result = try await hear(
      #"{"id":8,"local":"a"},{"id":5,"local":"b"}"#, #"{"id":9,"order":8}"#)
    #expect(try await stack.fetch(Order.sorted(by: \.id)).map(\.id) == [5, 8])
    #expect(try await stack.fetch(Item.all) == [Item(id: 9, orderID: 8)], "\(result)")
    #expect(result.deleted == 2 && result.kept == 0, "\(result)")
  }
}
