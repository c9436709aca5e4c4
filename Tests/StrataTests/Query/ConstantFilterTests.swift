import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Conditions that depend on a switch of the app, and texts and Bools in filters and orders.
@MainActor @Suite(.inTurn, .stack(Harbour.self, Boat.self)) struct ConstantFilterTests {
  private let stack = Stack.test

  private func insert() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Harbour(id: 1, name: "", isOpen: true))
      scratch.insert(Harbour(id: 2, name: "Kiel", isOpen: false))
      scratch.insert(Harbour(id: 3, name: "Kappeln", isOpen: true))
    }
  }

  private func ids(_ query: Query<Harbour>) async throws -> [Int] {
    let fetched = try await stack.fetch(query).map(\.id)
    let live = try await stack.viewContext.loaded(query)
    #expect(live.elements.map(\.id) == fetched)
    return fetched
  }

  @Test(arguments: [false, true]) func `a switch is a condition`(_ onlyOpen: Bool) async throws {
    try await insert()
    let open = onlyOpen ? [1, 3] : [1, 2, 3]
    #expect(try await ids(Harbour.where { onlyOpen ? $0.isOpen : true }) == open)
    #expect(try await ids(Harbour.where { !onlyOpen || $0.isOpen }) == open)
    #expect(try await ids(Harbour.where { $0.isOpen || !onlyOpen }) == open)
    #expect(try await ids(Harbour.where { onlyOpen && $0.isOpen }) == (onlyOpen ? [1, 3] : []))
    #expect(try await ids(Harbour.where { $0.isOpen && onlyOpen }) == (onlyOpen ? [1, 3] : []))
    #expect(
      try await ids(Harbour.where { $0.id > 1 && (!onlyOpen || $0.isOpen) })
        == (onlyOpen ? [3] : [2, 3]))
    #expect(
      try await ids(Harbour.where { $0.isOpen || onlyOpen }) == (onlyOpen ? [1, 2, 3] : [1, 3]))
    #expect(try await ids(Harbour.where { _ in Filter(onlyOpen) }) == (onlyOpen ? [1, 2, 3] : []))
    #expect(
      try await ids(Harbour.where { !($0.isOpen && onlyOpen) }) == (onlyOpen ? [2] : [1, 2, 3]))
  }

  @Test func `constants leave no condition behind`() throws {
    let always = Harbour.where { _ in true }
    #expect(always.filter == nil)
    let model = try Model([Harbour.self, Boat.self])
    func sql(_ query: Query<Harbour>) throws -> String {
      try QueryPlan(query, model).select(limit: nil, offset: 0).text
    }
    let open = try sql(Harbour.where { $0.isOpen })
    let both = [Harbour.where { $0.isOpen && true }, Harbour.where { $0.isOpen || false }]
    #expect(try both.map(sql) == [open, open])
    #expect(try QueryPlan(Harbour.where { $0.isOpen && false }, model).filter?.isNever == true)
  }

  @Test func `a text is empty, and a Bool has an order`() async throws {
    try await insert()
    #expect(try await ids(Harbour.where { $0.name.isEmpty }) == [1])
    #expect(try await ids(Harbour.where { !$0.name.isEmpty }) == [2, 3])
    #expect(try await ids(Harbour.sorted(by: \.isOpen)) == [2, 1, 3])
    #expect(try await ids(Harbour.sorted(by: \.isOpen, order: .reverse)) == [3, 1, 2])
    let sections = stack.viewContext.live(Harbour.all, sectionedBy: \.isOpen)
    try await sections.waitUntilLoaded()
    #expect(sections.sections.map(\.name) == [false, true])
  }

  @Test func `the first of a query is its first`() async throws {
    #expect(try await stack.first(Harbour.all) == nil)
    try await insert()
    #expect(try await stack.first(Harbour.sorted(by: \.name, order: .reverse))?.id == 2)
    #expect(try await stack.viewContext.first(Harbour.all.offset(1))?.id == 2)
  }
}
