import StrataFaults
import StrataSQLite
import StrataTestTurns
import Testing

@testable import Strata

/// Queries while SQLite runs out of memory.
///
/// Each test has a process of its own, because the limit holds for all connections of a process.
@Suite(.inTurn) struct MemoryFaultTests {
  // A value that could not be bound would be null, and a list of values that could not be copied
  // would be empty. The result would lack rows without an error.
  @Test func `a query without memory fails, and never finds less`() async {
    await #expect(processExitsWith: .success) {
      let stack = try await Stack.temporary(Item.self)
      try await stack.withScratch { scratch in
        for id in 0..<10 { scratch.insert(Item(id: id, name: "item \(id)")) }
      }
      let wanted = (0..<2_000).map { "item \($0 % 10) \($0)" } + (0..<10).map { "item \($0)" }
      let query = Item.where { $0.name.isIn(wanted) }
      var failures = 0
      var spare = 0
      while true {
        StoreMemory.limit(spare: spare)
        let found: [Item]
        do { found = try await stack.fetch(query) } catch {
          StoreMemory.lift()
          precondition(StoreError.Code.outOfMemory ~= error, "\(error)")
          failures += 1
          spare += 4 * 1024
          continue
        }
        StoreMemory.lift()
        precondition(found.count == 10, "\(found.count) of 10 with \(spare) bytes to spare")
        if spare > 256 * 1024 { break }
        spare += 4 * 1024
      }
      precondition(failures > 3, "\(failures) failures")
      await stack.close()
    }
  }

  // For want of memory SQLite returns no text. A caller that reads one row and does not step
  // further must not take that for an empty text.
  @Test func `a text that cannot be read for want of memory is not empty`() async {
    await #expect(processExitsWith: .success) {
      let connection = try Connection(path: "", access: .memory, busyTimeout: .zero)
      // SQLite converts a UTF-16 text when it is read.
      try connection.execute("PRAGMA encoding = 'UTF-16le'")
      try connection.execute("CREATE TABLE texts (text)")
      try connection.execute("INSERT INTO texts VALUES (replace(hex(zeroblob(50000)), '0', 'x'))")
      var failures = 0
      var successes = 0
      for spare in stride(from: 0, through: 1024 * 1024, by: 4096) {
        StoreMemory.limit(spare: spare)
        let text: String?
        do throws(SQLiteError) { text = try connection.text("SELECT text FROM texts") } catch {
          StoreMemory.lift()
          precondition(error.code & 0xFF == 7, "\(error)")
          failures += 1
          continue
        }
        StoreMemory.lift()
        precondition(text?.utf8.count == 100_000, "\(text?.utf8.count ?? -1) with \(spare) bytes")
        successes += 1
      }
      precondition(failures > 3 && successes > 3, "\(failures) failures, \(successes) successes")
    }
  }

  private struct Item: Entity {
    var id = 0
    var name = ""
    static let schema = Schema<Item>("items", key: \.id) { Attribute(\.name) }
  }
}
