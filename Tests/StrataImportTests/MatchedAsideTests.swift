import Foundation
import Strata
import StrataTestTurns
import StrataTesting
import Testing

@testable import StrataImport

private struct Order: Entity, Equatable {
  var id = 0
  var localID: UUID?
  var number: Int?
  var title = ""

  static let items = toMany(\Item.orderID)
  static let tags = manyToMany(Tag.self)
  static let schema = Schema<Order>("orders", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.number).unique()
    Attribute(\.title)
    items
    tags
  }
  static let json = JSONMapping<Order> {
    Field(\.id, "id")
    Field(\.localID, "client_id")
    Field(\.number, "number")
    Field(\.title, "title")
  }.matching(\.localID)
}

private struct Item: Entity, Equatable {
  var id = 0
  var orderID = 0

  static let schema = Schema<Item>("items", key: \.id) {
    toOne(\.orderID, Order.self, onDelete: .cascade)
  }
}

private struct Tag: Entity, Equatable {
  var id = ""

  static let schema = Schema<Tag>("tags", key: \.id) {}
}

private struct Lost: Error {}

/// A row that was set aside while the server made it under another key and with another number.
///
/// `matching` looked in the table alone, so the server's row became a second row, and the items of the first
/// row stayed without their order.
@Suite(.inTurn, .stack(Order.self, Item.self, Tag.self)) struct MatchedAsideTests {
  let stack = Stack.test
  private static let localID = UUID(uuidString: "01900000-0000-7000-8000-000000000001")
  private static let other = #"{"id": 2, "number": 5, "title": "other"}"#
  private static let mine =
    #"{"id": 812, "client_id": "01900000-0000-7000-8000-000000000001", "number": 6, "title": "mine"}"#

  private func hear(_ records: String..., absent: AbsentRows = .keep) async throws {
    try await stack.importJSON(
      Order.self, from: .data(Data("[\(records.joined(separator: ","))]".utf8)),
      mapping: Order.json, absent: absent)
  }

  /// Makes an order with an item and a tag, whose insertion may have reached the server.
  private func begin(isLost: Bool) async throws -> Outbox {
    let outbox = try await stack.outbox()
    try await stack.withScratch { scratch in
      scratch.insert(Order(id: -1, localID: Self.localID, number: 5, title: "mine"))
      scratch.insert(Item(id: 7, orderID: -1))
      scratch.insert(Tag(id: "a"))
      scratch.link(-1, to: "a", in: Order.tags)
    }
    if isLost {
      await #expect(throws: Lost.self) {
        try await outbox.push { request in
          if request.id(of: Order.self) != nil { throw Lost() }
          return .done
        }
      }
    }
    return outbox
  }

  enum Way: CaseIterable {
    case pages, reversedPages, onePage, answer
  }

  @Test(arguments: Way.allCases, [true, false])
  func `a row that was set aside gets the server's key`(_ way: Way, _ isLost: Bool) async throws {
    let outbox = try await begin(isLost: isLost)
    switch way {
    case .pages:
      try await hear(Self.other)
      #expect(try await outbox.refusals().map(\.isSetAside) == [true])
      try await hear(Self.mine)
    case .reversedPages:
      try await hear(Self.mine)
      try await hear(Self.other)
    case .onePage: try await hear(Self.other, Self.mine, absent: .delete)
    case .answer:
      try await hear(Self.other)
      try await outbox.changeKey(of: Order.self, from: -1, to: 812)
      #expect(try await stack.find(Order.self, 812) == nil)
      try await hear(Self.mine)
    }
    let orders = try await stack.fetch(Order.all.sorted(by: \.id))
    #expect(orders.map(\.id) == [2, 812])
    #expect(orders.last?.number == 6 && orders.last?.title == "mine")
    #expect(try await stack.find(Item.self, 7)?.orderID == 812)
    #expect(try await stack.fetch(Order.tags(of: 812)).map(\.id) == ["a"])
    let refusal = try #require(try await outbox.refusals().first)
    #expect(refusal.request.id(of: Order.self) == 812)
    #expect(refusal.request.kind == .update && refusal.request.attributes.contains("number"))
    // The user takes another number.
    var order = try #require(refusal.request.value(as: Order.self))
    #expect(order.number == 5)
    order.number = 7
    try await stack.withScratch { [order] in $0.upsert(order) }
    #expect(try await outbox.refusals().isEmpty)
    try await outbox.push { _ in .done }
    #expect(try await outbox.requests().isEmpty)
    #expect(try await stack.find(Order.self, 812)?.number == 7)
  }

  @Test func `a row with its own key shows the server's values while its edit is set aside`()
    async throws
  {
    for isLost in [true, false] {
      let outbox = try await begin(isLost: isLost)
      try await hear(Self.other)
      let own = Self.mine.replacing("812", with: "-1")
      for _ in 1...2 {
        try await hear(own, Self.other)
        #expect(try await stack.find(Order.self, -1)?.number == 6)
        #expect(try await outbox.refusals().map(\.isSetAside) == [true])
      }
      let refusal = try #require(try await outbox.refusals().first)
      #expect(try await outbox.revert(refusal))
      #expect(try await stack.find(Order.self, -1)?.number == 6)
      try await outbox.acknowledgeEverything()
      try await stack.withScratch { scratch in
        scratch.author = Stack.evictionAuthor
        try await scratch.delete(Order.all)
        try await scratch.delete(Tag.all)
      }
    }
  }
}
