import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor struct OrderedLinkTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let note = Note(id: 1)
  let colleagues = ["Ann", "Bob", "Cid", "Dee", "Eve"].map { Colleague(name: $0) }

  private func prepare() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(note)
      scratch.insert(Note(id: 2))
      colleagues.forEach(scratch.insert)
    }
  }

  private func names(_ query: Query<Colleague>? = nil) async throws -> String {
    let found = try await view.fetch(query ?? Note.readers(of: note))
    return found.map { String($0.name.prefix(1)) }.joined()
  }

  /// Gives every link the same position.
  private func placeAllAlike() async throws {
    let table = try #require(stack.store.model.join(Note.readers.reference)?.table)
    let layer = Layer.placing(
      try await view.base.snapshot.records(
        QueryPlan(everyRowOf: table), limit: nil, isSorted: false),
      in: table)
    _ = try await stack.commitUrgently(layer).value
  }

  @Test func `links keep the order in which they are made and moved`() async throws {
    try await prepare()
    for index in [3, 0, 4] { view.link(note, to: colleagues[index], in: Note.readers) }
    #expect(try await names() == "DAE")
    try await view.link(note, to: colleagues[1], at: 1, in: Note.readers)
    #expect(try await names() == "DBAE")
    try await view.save()
    #expect(try await names() == "DBAE")
    try await view.link(note, to: colleagues[4], at: 0, in: Note.readers)
    try await view.link(note, to: colleagues[3], at: 99, in: Note.readers)
    view.link(colleagues[2], to: note, in: Colleague.notes)
    // A colleague that is linked already keeps its position.
    view.link(note, to: colleagues[1], in: Note.readers)
    #expect(try await names() == "EBADC")
    #expect(try await names(Note.readers(of: note).offset(1).limit(3)) == "BAD")
    #expect(try await names(Note.readers(of: note).where { $0.name > "B" }) == "EBDC")
    #expect(try await names(Note.readers(of: note).sorted(by: \.name)) == "ABCDE")
    try await view.save()
    #expect(try await names() == "EBADC")
    // The other end has no order.
    #expect(try await view.fetch(Colleague.notes(of: colleagues[1])) == [note])
    let fetched = try await view.fetch(Note.all, with: Note.readers)
    #expect(fetched[0].1.map(\.name) == ["Eve", "Bob", "Ann", "Dee", "Cid"])
    #expect(fetched[1].1 == [])
    view.update(colleagues[0]) { $0.name = "Zoe" }
    let again = try await view.fetch(Note.all, with: Note.readers)
    #expect(again[0].1.map(\.name) == ["Eve", "Bob", "Zoe", "Dee", "Cid"])
  }

  @Test func `a live query is in the order of the links`() async throws {
    try await prepare()
    let live = try await view.loaded(Note.readers(of: note))
    for index in [2, 0, 1] { view.link(note, to: colleagues[index], in: Note.readers) }
    try await view.save()
    #expect(live.elements.map(\.name) == ["Cid", "Ann", "Bob"])
    try await view.link(note, to: colleagues[1], at: 0, in: Note.readers)
    try await view.save()
    #expect(live.elements.map(\.name) == ["Bob", "Cid", "Ann"])
    // An edited element keeps its position, and is saved as an edit of the changed attribute.
    view.update(colleagues[2]) { $0.name = "Cia" }
    #expect(live.elements.map(\.name) == ["Bob", "Cia", "Ann"])
    view.update(live.elements[2]) { $0.name = "Ada" }
    try await view.save()
    #expect(live.elements.map(\.name) == ["Bob", "Cia", "Ada"])
    #expect(
      try await stack.rows("SELECT count(*) FROM readers WHERE name IN ('Cia', 'Ada')") == ["2"])
    let limited = try await view.loaded(Note.readers(of: note).limit(2))
    #expect(limited.elements.map(\.name) == ["Bob", "Cia"])
    view.delete(colleagues[1])
    #expect(live.elements.map(\.name) == ["Cia", "Ada"])
  }

  @Test func `moves of several contexts never conflict, and the last one counts`() async throws {
    try await prepare()
    try await stack.withScratch { scratch in
      for colleague in colleagues { scratch.link(note, to: colleague, in: Note.readers) }
    }
    let others = [stack.makeScratch(), stack.makeScratch()]
    try await others[0].link(note, to: colleagues[4], at: 0, in: Note.readers)
    try await others[1].link(note, to: colleagues[4], at: 2, in: Note.readers)
    try await view.link(note, to: colleagues[3], at: 0, in: Note.readers)
    try await others[0].save()
    #expect(try await stack.fetch(Note.readers(of: note)).map(\.name).first == "Eve")
    try await others[1].save()
    try await view.save()
    #expect(try await names() == "DABEC")
    // A move of a link that another context removes meanwhile links again.
    let (removing, moving) = (stack.makeScratch(), stack.makeScratch())
    removing.unlink(note, from: colleagues[0], in: Note.readers)
    try await moving.link(note, to: colleagues[0], at: 4, in: Note.readers)
    try await view.link(note, to: colleagues[1], at: 4, in: Note.readers)
    try await removing.save()
    #expect(
      try await stack.fetch(Note.readers(of: note)).map(\.name) == ["Dee", "Bob", "Eve", "Cid"])
    try await moving.save()
    try await view.save()
    #expect(view.conflicts.isEmpty)
    #expect(try await names().prefix(3) == "DEC")
  }

  /// Making room must not patch the neighbours blindly. That would link neighbours again that
  /// another context has unlinked meanwhile.
  @Test(arguments: [false, true])
  func `making room links nobody again`(isMergedBefore: Bool) async throws {
    try await prepare()
    try await stack.withScratch { scratch in
      for colleague in colleagues { scratch.link(note, to: colleague, in: Note.readers) }
    }
    try await placeAllAlike()
    let order = try await view.fetch(Note.readers(of: note))
    let scratch = stack.makeScratch()
    try await view.link(note, to: order[4], at: 2, in: Note.readers)
    try await scratch.link(note, to: order[4], at: 2, in: Note.readers)
    let table = try #require(stack.store.model.join(Note.readers.reference)?.table)
    // Neighbours must be moved, or the test would test nothing.
    #expect(view.layers.stack.keys(of: table.id).count > 2)
    let removing = stack.makeScratch()
    for index in [0, 1, 2, 3] { removing.unlink(note, from: order[index], in: Note.readers) }
    let commit = try await removing.save()
    if isMergedBefore {
      try await view.waitUntilMerged(commit)
      #expect(try await view.fetch(Note.readers(of: note)).map(\.name) == [order[4].name])
    }
    try await view.save()
    try await scratch.save()
    #expect(view.conflicts.isEmpty)
    #expect(try await view.fetch(Note.readers(of: note)).map(\.name) == [order[4].name])
    #expect(try await stack.rows("SELECT count(*) FROM \(table.name.quotedIdentifier)") == ["1"])
  }

  @Test func `a link that is made in a loop leaves room for others before it`() {
    let first = LinkClock.next()
    let second = LinkClock.next()
    #expect(second - first >= 1.0 / 1024)
    #expect(LinkClock.next(after: second + 1_000) >= second + 1_000 + 1.0 / 1024)
  }

  @Test func `links that another program put on one place are told apart by a move`() async throws {
    try await prepare()
    try await stack.withScratch { scratch in
      for colleague in colleagues { scratch.link(note, to: colleague, in: Note.readers) }
    }
    try await placeAllAlike()
    let order = try await names()
    // The links are then in the order of their keys.
    #expect(try await order == names(Colleague.all))
    let last = try #require(colleagues.first { order.hasSuffix($0.name.prefix(1)) })
    try await view.link(note, to: last, at: 1, in: Note.readers)
    let moved = "\(order.prefix(1))\(last.name.prefix(1))\(order.dropFirst().dropLast())"
    #expect(try await names() == moved)
    try await view.save()
    #expect(try await names() == moved)
  }

  @Test func `changes tell links by the keys of their ends`() async throws {
    try await prepare()
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit { scratch in
      scratch.link(note, to: colleagues[0], in: Note.readers)
      scratch.link(note, to: colleagues[1], in: Note.readers)
    }
    let linked = try #require(await changes.next())
    #expect(linked.changes(of: Note.readers).linked.map(\.root) == [1, 1])
    #expect(
      Set(linked.changes(of: Colleague.notes).linked.map(\.root))
        == [colleagues[0].id, colleagues[1].id])
    #expect(linked.changes(of: Note.tags).isEmpty)
    let scratch = stack.makeScratch()
    try await scratch.link(note, to: colleagues[1], at: 0, in: Note.readers)
    scratch.delete(colleagues[0])
    try await scratch.save()
    let second = try #require(await changes.next()).changes(of: Note.readers)
    #expect("\(second)" == "0 linked, 1 unlinked, 1 moved")
    #expect(second.moved.map(\.target) == [colleagues[1].id])
    #expect(second.unlinked.map(\.target) == [colleagues[0].id])
    #expect(second.linked.isEmpty && !second.isReset && !second.isEmpty)
  }
}

extension Layer {
  /// Returns blind changes that give all links the same position.
  fileprivate static func placing(_ links: some Sequence<Record>, in table: Table) -> Layer {
    var layer = Layer()
    for link in links {
      var cells = link.cells
      cells[JoinTable.position] = .real(1)
      guard let moved = try? Record(cells) else { continue }
      layer.compose(.blind(.set(moved)), table.id, link.key(Table.keyColumn))
    }
    return layer
  }
}
