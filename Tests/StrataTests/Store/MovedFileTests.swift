import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A store whose file goes away while the stack is open acknowledges no save.
@Suite(.inTurn) @MainActor struct MovedFileTests {
  let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  @Test(arguments: [false, true])
  func `a save into a removed file fails and keeps the edits`(_ hasReaders: Bool) async throws {
    let stack = try await folder.stack()
    if hasReaders {
      try await stack.withScratch { $0.insert(Boat(id: 1)) }
      _ = try await stack.fetch(Boat.all)
    }
    try FileManager.default.removeItem(at: folder.url)
    stack.viewContext.insert(Boat(id: 2, name: "Gull"))
    #expect(await failure { try await stack.viewContext.save() }?.code == .replaced)
    #expect(stack.viewContext.hasChanges && stack.viewContext.saveError?.code == .replaced)
    #expect(
      await failure { try await stack.withScratch { $0.insert(Boat(id: 3)) } }?.code == .replaced)
    await stack.close()
    #expect(try folder.names.allSatisfy { $0 != folder.url.lastPathComponent })
  }

  @Test func `saves go on once the file is back`() async throws {
    let stack = try await folder.stack()
    try await stack.withScratch { $0.insert(Boat(id: 1)) }
    let live = try await stack.viewContext.loaded(Boat.all)
    try folder.move(to: "elsewhere")
    stack.viewContext.insert(Boat(id: 2))
    #expect(await failure { try await stack.viewContext.save() }?.code == .replaced)
    try folder.moveBack(from: "elsewhere")
    #expect(try await stack.viewContext.save() == 2)
    #expect(live.elements.map(\.id) == [1, 2] && !stack.viewContext.hasChanges)
    await stack.close()
    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).map(\.id) == [1, 2])
    await again.close()
  }

  @Test func `another file at the path gets nothing`() async throws {
    let stack = try await folder.stack()
    try await stack.withScratch { $0.insert(Boat(id: 1)) }
    try folder.move(to: "elsewhere")
    let other = try await folder.stack()
    try await other.withScratch { $0.insert(Boat(id: 9)) }
    #expect(
      await failure { try await stack.withScratch { $0.insert(Boat(id: 2)) } }?.code == .replaced)
    #expect(try await other.fetch(Boat.all).map(\.id) == [9])
    await other.close()
    await stack.close()
  }

  @Test func `a read that needs the file says why it fails`() async throws {
    let stack = try await folder.stack()
    try FileManager.default.removeItem(at: folder.url)
    // Each context keeps a snapshot, and each snapshot keeps a reader.
    let contexts = (0..<10).map { _ in stack.makeScratch() }
    var errors: [StoreError.Code] = []
    for context in contexts {
      if let error = await failure({ try await context.fetch(Boat.all) }) {
        errors.append(error.code)
      }
    }
    #expect(!errors.isEmpty && errors.allSatisfy { $0 == .replaced })
    withExtendedLifetime(contexts) {}
    await stack.close()
  }
}
