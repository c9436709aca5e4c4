import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataImport

/// Tests imports that cannot read their store after their commit.
@Suite(.inTurn) struct CommitFaultTests {
  private struct Item: Entity {
    var id = 0
    var name = ""
    static let schema = Schema<Item>("items", key: \.id) { Attribute(\.name).indexed() }
  }

  // Making indexes after the rows changes SQLite's schema version. A read of the schema version
  // after the commit may fail. In that case the import must not report that nothing is imported.
  @Test func `an import at once is said to have failed only if it is not there`() async throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appendingPathComponent("strata-\(UUID())")
    try manager.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? manager.removeItem(at: folder) }
    let rows = (1...300).map { #"{"id":\#($0),"name":"\#($0)"}"# }.joined(separator: ",")
    var options = ImportOptions()
    options.commits = .atomic
    var number = 1
    var failures = 1
    while failures > 0 {
      let file = folder.appendingPathComponent("\(number).sqlite")
      let plan = FaultPlan()
      ObservedFileSystem.observe(file.path, with: plan)
      defer { ObservedFileSystem.endObserving(file.path, with: plan) }
      let stack = try await Stack.open(Item.self, at: file)
      plan.arm(
        FaultPlan.Fault(.sharedLock, number: number, code: FaultPlan.codes(of: .sharedLock)[1]))
      var result: ImportResult
      do {
        result = try await stack.importJSON(
          Item.self, from: .data(Data("[\(rows)]".utf8)), options: options)
      } catch let error as ImportError {
        result = error.result
      }
      failures = plan.disarm()
      #expect(try await stack.count(Item.all) == result.inserted, "call \(number)")
      // The writer still takes the tables for its own.
      try await stack.withScratch { $0.insert(Item(id: 301)) }
      await stack.close()
      number += 1
    }
    #expect(number > 3)
  }
}
