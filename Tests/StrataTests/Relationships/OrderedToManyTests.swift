import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Note.self, Tag.self, Colleague.self, Folder.self))
@MainActor struct OrderedToManyTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }
  let folder = Folder(id: 1)

  private func order() async throws -> [Int] {
    try await view.fetch(Folder.notes(of: folder)).map(\.id)
  }

  @Test func `entities are inserted and moved by index, and only they are edited`() async throws {
    view.insert(folder)
    try await view.insert(Note(id: 1), at: 0, in: Folder.notes, of: folder)
    try await view.insert(Note(id: 2), at: 1, in: Folder.notes, of: folder)
    try await view.insert(Note(id: 3), at: 0, in: Folder.notes, of: folder)
    try await view.insert(Note(id: 4), at: 1, in: Folder.notes, of: folder)
    try await view.insert(Note(id: 5), at: 99, in: Folder.notes, of: folder)
    #expect(try await order() == [3, 4, 1, 2, 5])
    try await view.save()
    #expect(try await order() == [3, 4, 1, 2, 5])
    let live = try await view.loaded(Folder.notes(of: folder))
    var changes = view.changes(of: Note.self).makeAsyncIterator()
    try await view.move(Note(id: 5), to: 1, in: Folder.notes, of: folder)
    #expect(try await order() == [3, 5, 4, 1, 2])
    // The live query shows the move in the same turn.
    #expect(live.elements.map(\.id) == [3, 5, 4, 1, 2])
    try await view.save()
    let updated = await changes.next()?.updated
    #expect(updated?.map(\.after.id) == [5] && updated?.first?.attributes == ["place"])
  }

  @Test func `a move may come from another root`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      scratch.insert(Folder(id: 2))
      for id in 1...3 { scratch.insert(Note(id: id, folderID: 1, place: Double(id))) }
      scratch.insert(Note(id: 4, text: "here", folderID: 2))
      scratch.insert(Note(id: 5))
    }
    let scratch = stack.makeScratch()
    try await scratch.move(
      Note(id: 4, text: "here", folderID: 2), to: 2, in: Folder.notes, of: folder)
    try await scratch.move(Note(id: 5), to: 0, in: Folder.notes, of: folder)
    #expect(try await scratch.fetch(Folder.notes(of: folder)).map(\.id) == [5, 1, 2, 4, 3])
    try await scratch.save()
    #expect(try await order() == [5, 1, 2, 4, 3])
    #expect(try await view.fetch(Folder.notes(of: 2)) == [])
    #expect(try await view.find(Note.self, 4)?.text == "here")
  }

  @Test func `two moves into one gap stand beside each other, by key`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for id in 1...4 { scratch.insert(Note(id: id, folderID: 1, place: Double(id))) }
    }
    let (first, second) = (stack.makeScratch(), stack.makeScratch())
    try await first.move(Note(id: 4, folderID: 1, place: 4), to: 1, in: Folder.notes, of: folder)
    try await second.move(Note(id: 3, folderID: 1, place: 3), to: 1, in: Folder.notes, of: folder)
    try await first.save()
    try await second.save()
    #expect(try await order() == [1, 3, 4, 2])
    // No position is left between the two notes, so the third note makes room.
    try await view.insert(Note(id: 9), at: 2, in: Folder.notes, of: folder)
    #expect(try await order() == [1, 3, 9, 4, 2])
  }

  /// An observer must not see the new entity before its neighbours have made room.
  @Test func `a placement for which neighbours make room is reported once`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for id in 1...4 { scratch.insert(Note(id: id, folderID: 1, place: 1)) }
    }
    let live = try await view.loaded(Folder.notes(of: folder))
    var shown: [[Int]] = []
    let observer = live.observeKeys { _ in shown.append(live.elements.map(\.id)) }
    try await view.insert(Note(id: 9), at: 2, in: Folder.notes, of: folder)
    let last = try #require(try await view.find(Note.self, 4))
    try await view.move(last, to: 0, in: Folder.notes, of: folder)
    #expect(shown == [[1, 2, 9, 3, 4], [4, 1, 2, 9, 3]])
    withExtendedLifetime(observer) {}
  }

  @Test func `inserting at one place again and again goes on for ever`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for id in 1...2 { scratch.insert(Note(id: id, folderID: 1, place: Double(id))) }
    }
    for id in 3...90 { try await view.insert(Note(id: id), at: 1, in: Folder.notes, of: folder) }
    #expect(try await order() == [1] + (3...90).reversed() + [2])
    try await view.save()
    #expect(try await order() == [1] + (3...90).reversed() + [2])
  }

  @Test func `sorts of a query come before the order of its relationship`() async throws {
    try await stack.withScratch { scratch in
      scratch.insert(folder)
      for (id, text) in [(1, "b"), (2, "a"), (3, "b"), (4, "a")] {
        scratch.insert(Note(id: id, text: text, folderID: 1, place: Double(-id)))
      }
    }
    let sorted = Folder.notes(of: folder).sorted(by: \.text)
    #expect(try await view.fetch(sorted).map(\.id) == [4, 2, 3, 1])
    view.update(Note(id: 4, text: "a", folderID: 1, place: -4)) { $0.place = 0 }
    #expect(try await view.fetch(sorted).map(\.id) == [2, 4, 3, 1])
    #expect(try await view.fetch(sorted.offset(1).limit(2)).map(\.id) == [4, 3])
  }
}

@Suite(.inTurn) struct PlacementTests {
  @Test func `any list takes an element at any index, and few others move`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2_000 {
      var positions = (0..<random.below(12)).map { _ -> Double in
        switch random.below(5) {
        case 0: 0
        case 1: Double(random.below(4))
        case 2: Double(random.below(4)).nextUp
        case 3: random.pick([-1, 1]) * Double.greatestFiniteMagnitude
        default: random.pick([-Double.infinity, .infinity, 1e17, -1e17, .leastNonzeroMagnitude])
        }
      }
      positions.sort()
      let index = random.below(positions.count + 1)
      let placement = Placement(at: index, among: positions)
      var result = positions
      for (other, position) in placement.moved { result[other] = position }
      result.insert(placement.position, at: index)
      #expect(placement.position.isFinite)
      let low = placement.moved.first?.index ?? index
      let high = placement.moved.last?.index ?? index
      // Around the element the order is strict. Elements that did not move may have equal
      // positions.
      for other in max(0, low - 1)..<min(result.count - 1, max(high, index) + 1) {
        #expect(result[other] < result[other + 1], "\(positions) \(index)")
      }
      #expect(result == result.sorted())
    }
  }

  @Test func `an element between two others moves neither`() {
    #expect(Placement(at: 0, among: []).position == 0)
    #expect(Placement(at: 0, among: [5]).position == 4)
    #expect(Placement(at: 1, among: [5]).position == 6)
    #expect(Placement(at: -2, among: [5]).position == 4)
    #expect(Placement(at: 2, among: [5]).position == 6)
    let between = Placement(at: 1, among: [1, 2])
    #expect(between.position == 1.5 && between.moved.isEmpty)
    let crowded = Placement(at: 2, among: [0, 1, (1.0).nextUp, 3, 4])
    #expect(crowded.moved.count == 2)
  }
}

extension Placement {
  fileprivate init(at index: Int, among positions: [Double]) {
    self.init(at: index, count: positions.count) { positions[$0] }
  }
}
