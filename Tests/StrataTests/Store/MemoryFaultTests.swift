import StrataFaults
import Testing

@testable import Strata

/// What a query finds while SQLite runs out of memory, in a process of its own: the limit is for all
/// connections.
@Suite(.timeLimit(.minutes(10))) struct MemoryFaultTests {
  // A value that could not be bound was null, and a list of values that could not be copied an empty
  // one: rows were missing, and nobody was told.
  @Test func `a query without memory fails, and never finds less`() async {
    await #expect(processExitsWith: .success) {
      let stack = try await Stack.temporary(Item.self)
      try await stack.withScratch { scratch in
        for id in 0..<10 { scratch.insert(Item(id: id, name: "item \(id)")) }
      }
      let wanted = (0..<5_000).map { "item \($0 % 10) \($0)" } + (0..<10).map { "item \($0)" }
      let query = Item.where { $0.name.isIn(wanted) }
      var failures = 0
      var spare = 0
      while true {
        StoreMemory.limit(spare: spare)
        let found: [Item]
        do throws(StoreError) { found = try await stack.fetch(query) } catch {
          StoreMemory.lift()
          precondition(error.code == .outOfMemory, "\(error)")
          failures += 1
          spare += 4 * 1024
          continue
        }
        StoreMemory.lift()
        precondition(found.count == 10, "\(found.count) of 10 with \(spare) bytes to spare")
        if spare > 512 * 1024 { break }
        spare += 4 * 1024
      }
      precondition(failures > 3, "\(failures) failures")
      await stack.close()
    }
  }

  private struct Item: Entity {
    var id = 0
    var name = ""
    static let schema = Schema<Item>("items", key: \.id) { Attribute(\.name) }
  }
}
