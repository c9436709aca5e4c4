import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Random layers, compared with a dictionary.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct WriterModelTests {
  let stack = Stack.test

  @Test func `the store equals a dictionary, and what is announced is the difference`() async throws
  {
    var random = SeededRandom.printingSeed()
    var model: [Int: Boat] = [:]
    var harbours: Set<Int> = []
    var changes = stack.changes.makeAsyncIterator()
    var commit: Int64 = 0
    for _ in 0..<150 {
      let before = model
      let oldHarbours = harbours
      let scratch = stack.makeScratch()
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        edit(&model, &harbours, scratch, &random)
      }
      for (id, boat) in model where boat.harbourID.map({ oldHarbours.contains($0) }) == true {
        if let harbour = boat.harbourID, !harbours.contains(harbour) { model[id]?.harbourID = nil }
      }
      let saved = try await scratch.save()
      let isSame = model == before && harbours == oldHarbours
      #expect(saved == (isSame ? commit : commit + 1))
      commit = saved
      #expect(
        try await stack.rows("SELECT id FROM harbours ORDER BY id")
          == harbours.sorted().map(String.init))
      #expect(try await stack.rows("SELECT * FROM boats ORDER BY id") == rows(model))
      if isSame { continue }
      let announced = await changes.next()
      #expect(announced?.commit == commit)
      guard let boats = announced?.changes(of: Boat.self) else { continue }
      #expect(boats.inserted == sorted(model) { before[$0.id] == nil })
      #expect(boats.deleted == sorted(before) { model[$0.id] == nil })
      let updated = sorted(model) { before[$0.id] != nil && before[$0.id] != $0 }
      #expect(boats.updated.map(\.after) == updated)
      #expect(boats.updated.map(\.before) == updated.compactMap { before[$0.id] })
    }
    #expect(commit > 50)
  }

  private func sorted(_ model: [Int: Boat], _ isIn: (Boat) -> Bool) -> [Boat] {
    model.values.filter(isIn).sorted { $0.id < $1.id }
  }

  private func rows(_ model: [Int: Boat]) -> [String] {
    sorted(model) { _ in true }.map { boat in
      let speed = boat.speed.map(String.init) ?? "null"
      let harbour = boat.harbourID.map(String.init) ?? "null"
      return "\(boat.id) \(boat.name) \(boat.length) \(speed) \(harbour)"
    }
  }

  private func edit(
    _ model: inout [Int: Boat], _ harbours: inout Set<Int>, _ scratch: ScratchContext,
    _ random: inout SeededRandom
  ) {
    let id = Int.random(in: 0..<40, using: &random)
    let fresh = Boat(
      id: id, name: ["Gull", "Tern", "Swan"].randomElement(using: &random) ?? "",
      length: Int.random(in: 0..<4, using: &random), speed: random.oneIn(2) ? nil : 5,
      harbourID: harbours.randomElement(using: &random))
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let harbour = Harbour(id: Int.random(in: 0..<5, using: &random))
      if harbours.remove(harbour.id) == nil {
        harbours.insert(harbour.id)
        scratch.upsert(harbour)
      } else {
        scratch.delete(harbour)
      }
    case 1...3:
      if let boat = model.removeValue(forKey: id) { scratch.delete(boat) }
    case 4...6:
      guard let boat = model[id] else { return }
      model[id]?.name = fresh.name
      scratch.update(boat) { $0.name = fresh.name }
    case 7 where model[id] == nil:
      model[id] = fresh
      scratch.insert(fresh)
    default:
      model[id] = fresh
      scratch.upsert(fresh)
    }
  }
}
