import StrataFaults
import StrataTesting
import Testing

@testable import Strata

internal import Foundation

/// What an app is told when the system fails; `strata-stress faults` lets every call fail in turn.
@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  // Want of memory was told as an error that nobody knows, with the advice to report it.
  @Test func `a store that cannot be opened says why`() async throws {
    let plan = FaultPlan()
    ObservedFileSystem.observe(file.path, with: plan)
    defer { ObservedFileSystem.endObserving(file.path) }
    let expected: [StoreError.Code] = [.cannotOpen, .outOfMemory]
    for (code, expected) in zip(FaultPlan.codes(of: .open), expected) {
      plan.arm(FaultPlan.Fault(.open, number: 1, code: code))
      let error = await failure { _ = try await Stack.open(Item.self, at: file.url) }
      #expect(error?.code == expected && error?.sqliteCode == code)
    }
    plan.disarm()
    await (try Stack.open(Item.self, at: file.url)).close()
  }

  private struct Item: Entity {
    var id = 0
    var name = ""
    static let schema = Schema<Item>("items", key: \.id) { Attribute(\.name) }
  }
}
