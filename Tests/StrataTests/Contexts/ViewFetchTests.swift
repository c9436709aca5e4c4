import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Boat.self, Harbour.self)) @MainActor struct ViewFetchTests {
  let stack = Stack.test
  var view: ViewContext { stack.viewContext }

  @Test func `a fetch sees everything committed before it`() async throws {
    for number in 1...50 {
      try await stack.commit { $0.insert(Boat(id: number)) }
      // The test has not waited for the merge.
      #expect(try await view.count(Boat.all) == number)
      #expect(try await view.find(Boat.self, number)?.id == number)
    }
  }

  @Test func `a fetch includes what is not saved yet`() async throws {
    let boats = (1...4).map { Boat(id: $0, length: $0) }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    view.update(boats[0]) { $0.length = 9 }  // into the filter
    view.update(boats[3]) { $0.length = 0 }  // out of it
    view.delete(boats[2])
    view.insert(Boat(id: 5, length: 8))
    let long = Boat.where { $0.length >= 2 }.sorted(by: \.length, order: .reverse)
    #expect(try await view.fetch(long).map(\.id) == [1, 5, 2])
    #expect(try await view.fetch(long.limit(2)).map(\.id) == [1, 5])
    #expect(try await view.fetch(long.offset(1).limit(1)).map(\.id) == [5])
    #expect(try await view.count(long) == 3)
    #expect(try await view.count(long.offset(1)) == 2)
    #expect(try await view.find(Boat.self, [5, 3, 1, 99]).map(\.id) == [5, 1])
    // Other contexts do not see the edits.
    #expect(try await stack.fetch(long).map(\.id) == [4, 3, 2])
  }

  @Test func `a fetch includes what is being saved`() async throws {
    view.insert(Boat(id: 1))
    try await view.save()
    view.insert(Boat(id: 2))
    let stop = await WriterStop(stack)
    let saving = Task { try await view.save() }
    #expect(await eventually { !view.hasChanges })
    view.insert(Boat(id: 3))
    #expect(try await view.fetch(Boat.all).map(\.id) == [1, 2, 3])
    stop.release()
    _ = try await saving.value
    #expect(try await view.fetch(Boat.all).map(\.id) == [1, 2, 3])
  }

  @Test func `a filter by a related row follows its unsaved changes`() async throws {
    let harbours = [Harbour(id: 1, isOpen: true), Harbour(id: 2, isOpen: false)]
    try await stack.withScratch { scratch in
      harbours.forEach(scratch.insert)
      for id in 1...4 { scratch.insert(Boat(id: id, harbourID: id % 2 + 1)) }
      scratch.insert(Boat(id: 5))
    }
    let open = Boat.where { $0.harbour.isOpen }
    #expect(try await view.fetch(open).map(\.id) == [2, 4])
    view.update(harbours[1]) { $0.isOpen = true }
    #expect(try await view.fetch(open).map(\.id) == [1, 2, 3, 4])
    view.delete(harbours[0])
    #expect(try await view.fetch(open).map(\.id) == [1, 3])
    view.insert(Harbour(id: 3, isOpen: true))
    view.update(Boat(id: 5)) { $0.harbourID = 3 }
    #expect(try await view.fetch(open).map(\.id) == [1, 3, 5])
    #expect(try await view.count(open.limit(2)) == 2)
  }

  @Test func `a fetch equals the same question asked of an array`() async throws {
    var random = SeededRandom.printingSeed()
    var boats: [Int: Boat] = [:]
    var harbours: [Int: Harbour] = [:]
    var saved: Set<Int> = []
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...12, using: &random) { edit(&boats, &harbours, &random) }
      for _ in 0..<4 {
        let question = Question(&random)
        let expected = question.answer(boats, harbours)
        #expect(try await view.fetch(question.query) == expected, "\(question)")
        #expect(try await view.count(question.query) == expected.count, "\(question)")
      }
      let keys = (0..<6).map { _ in Int.random(in: 0..<40, using: &random) }
      #expect(try await view.find(Boat.self, keys) == keys.compactMap { boats[$0] })
      if random.oneIn(3) {
        try await view.save()
        // Delete rules run when a save is written, for the rows that it deletes from the store.
        let deleted = saved.subtracting(harbours.keys)
        for (id, boat) in boats where boat.harbourID.map(deleted.contains) == true {
          boats[id]?.harbourID = nil
        }
        saved = Set(harbours.keys)
      }
    }
  }

  private func edit(
    _ boats: inout [Int: Boat], _ harbours: inout [Int: Harbour], _ random: inout SeededRandom
  ) {
    let id = Int.random(in: 0..<40, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let harbour = Harbour(id: id % 5, isOpen: random.oneIn(2))
      if let old = harbours[harbour.id] {
        if random.oneIn(3) {
          harbours[harbour.id] = nil
          view.delete(old)
        } else {
          harbours[harbour.id] = harbour
          view.update(old) { $0 = harbour }
        }
      } else {
        harbours[harbour.id] = harbour
        view.insert(harbour)
      }
    case 1...2:
      if let old = boats.removeValue(forKey: id) { view.delete(old) }
    default:
      let boat = Boat(
        id: id, name: ["Gull", "Tern"].randomElement(using: &random) ?? "",
        length: Int.random(in: 0..<5, using: &random), speed: random.oneIn(3) ? nil : id % 3,
        harbourID: harbours.keys.sorted().randomElement(using: &random))
      if let old = boats[id] { view.update(old) { $0 = boat } } else { view.insert(boat) }
      boats[id] = boat
    }
  }
}

/// A query, and its meaning for an array.
private struct Question: CustomStringConvertible {
  var description: String
  private(set) var query = Boat.all
  private let isIn: (Boat, [Int: Harbour]) -> Bool
  private let isBefore: (Boat, Boat) -> Bool
  private let offset: Int
  private let limit: Int?

  init(_ random: inout SeededRandom) {
    let filter = Int.random(in: 0..<4, using: &random)
    switch filter {
    case 1:
      query = query.where { $0.length > 1 && $0.name == "Gull" }
      isIn = { boat, _ in boat.length > 1 && boat.name == "Gull" }
    case 2:
      query = query.where { $0.harbour.isOpen }
      isIn = { boat, harbours in boat.harbourID.flatMap { harbours[$0] }?.isOpen ?? false }
    case 3:
      query = query.where { $0.speed == nil || $0.harbour.name == "" }
      isIn = { boat, harbours in
        boat.speed == nil || boat.harbourID.flatMap { harbours[$0] }?.name == ""
      }
    default: isIn = { _, _ in true }
    }
    let isSorted = random.oneIn(2)
    if isSorted { query = query.sorted(by: \.speed).sorted(by: \.length, order: .reverse) }
    isBefore = { a, b in
      isSorted
        ? (a.speed ?? -1, -a.length, -a.id) < (b.speed ?? -1, -b.length, -b.id) : a.id < b.id
    }
    offset = random.oneIn(3) ? Int.random(in: 0..<6, using: &random) : 0
    limit = random.oneIn(2) ? Int.random(in: 0..<8, using: &random) : nil
    query = query.offset(offset)
    if let limit { query = query.limit(limit) }
    description = "filter \(filter), sorted \(isSorted), offset \(offset), limit \(limit ?? -1)"
  }

  func answer(_ boats: [Int: Boat], _ harbours: [Int: Harbour]) -> [Boat] {
    let matching = boats.values.filter { isIn($0, harbours) }.sorted(by: isBefore).dropFirst(offset)
    return Array(limit.map { matching.prefix($0) } ?? matching)
  }
}
