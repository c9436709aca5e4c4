import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) @MainActor struct StackLifecycleTests {
  let gull = Boat(id: 1, name: "Gull")

  private func stack() async throws -> Stack {
    try await Stack.temporary(Boat.self, Harbour.self)
  }

  @Test func `a saved row is there when the store is opened again`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-lifecycle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("store.sqlite")
    for number in 1...3 {
      let stack = try await Stack.open(Boat.self, Harbour.self, at: url)
      #expect(try await stack.viewContext.count(Boat.all) == number - 1)
      stack.viewContext.insert(Boat(id: number))
      #expect(try await stack.viewContext.save() == Int64(number))
      await stack.close()
      #expect(FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test func `a temporary store's folder goes with the stack`() async throws {
    let stack = try await stack()
    let folder = URL(fileURLWithPath: await stack.path).deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: folder))
    await stack.close()
    #expect(!FileManager.default.fileExists(atPath: folder))
    await stack.close()
  }

  @Test func `letting go of a stack closes it too`() async throws {
    var stack: Stack? = try await stack()
    let path = await stack?.path ?? ""
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    stack?.viewContext.insert(gull)
    _ = try await stack?.viewContext.save()
    stack = nil
    #expect(await eventually { !FileManager.default.fileExists(atPath: folder) })
  }

  @Test func `a temporary store that cannot be opened leaves no folder`() async throws {
    let files = FileManager.default
    /// Returns the empty folders of temporary stores.
    ///
    /// A folder with a store belongs to another test.
    func emptyFolders() throws -> Set<String> {
      let temporary = files.temporaryDirectory.path
      return Set(try files.contentsOfDirectory(atPath: temporary)).filter { name in
        name.hasPrefix("strata-")
          && (try? files.contentsOfDirectory(atPath: "\(temporary)/\(name)"))?.isEmpty == true
      }
    }
    let before = try emptyFolders()
    for _ in 0..<20 {
      #expect(await failure { try await Stack.temporary(Boat.self) }?.code == .invalidSchema)
    }
    // Empty folders of other tests are about to be filled.
    var left = try emptyFolders().subtracting(before)
    let areGone = await eventually {
      left.formIntersection((try? emptyFolders()) ?? left)
      return left.isEmpty
    }
    #expect(areGone)
  }

  @Test func `a closed stack refuses work and keeps what is in memory`() async throws {
    let stack = try await stack()
    let view = stack.viewContext
    let live = try await view.loaded(Boat.all)
    view.insert(gull)
    try await view.save()
    view.update(gull) { $0.name = "Swan" }
    let reading = stack.makeScratch()
    #expect(try await reading.count(Boat.all) == 1)
    await stack.close()

    let calls: [@MainActor () async throws -> Any] = [
      { try await view.save() }, { try await view.fetch(Boat.all) },
      { try await view.count(Boat.all) }, { try await view.find(Boat.self, 1) as Any },
      { try await view.waitUntilMerged(99) }, { try await stack.fetch(Boat.all) },
      { try await stack.commit { $0.insert(Boat(id: 2)) } },
      { try await stack.withScratch { $0.insert(Boat(id: 2)) } },
      { try await stack.makeScratch().fetch(Boat.all) },
      { try await view.makeScratch().fetch(Boat.all) },
    ]
    for (number, call) in calls.enumerated() {
      #expect(await failure { try await call() }?.code == .closed, "call \(number)")
    }
    #expect(await failure { try await reading.fetch(Boat.all) }?.code == .closed)
    #expect(live.elements.map(\.name) == ["Swan"] && view.hasChanges && view.commit == 1)
    view.rollback()
    #expect(Array(live.elements) == [gull])
  }

  @Test func `closing finishes what was queued`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-lifecycle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("store.sqlite")
    let stack = try await Stack.open(Boat.self, Harbour.self, at: url)
    let stop = await WriterStop(stack)
    let saves = (1...5).map { number in
      Task { try await stack.commit { $0.insert(Boat(id: number)) } }
    }
    stack.viewContext.insert(Boat(id: 6))
    let viewSave = Task { try await stack.viewContext.save() }
    await others()
    let closing = Task { await stack.close() }
    await others()
    #expect(await failure { try await stack.fetch(Boat.all) }?.code == .closed)
    stop.release()
    for save in saves { _ = try await save.value }
    _ = try await viewSave.value
    await closing.value
    let again = try await Stack.open(Boat.self, Harbour.self, at: url)
    #expect(try await again.fetch(Boat.all).map(\.id) == [1, 2, 3, 4, 5, 6])
    await again.close()
  }

  @Test func `closing ends streams and resumes whoever waits`() async throws {
    let stack = try await stack()
    let view = stack.viewContext
    let live = try await view.loaded(Boat.all)
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let all = Task { [changes = stack.changes] in await Array(changes).count }
    let shown = Task { [changes = view.changes] in await Array(changes).count }
    let ofBoats = Task { [changes = view.changes(of: Boat.self)] in await Array(changes).count }
    let updates = Task { [updates = live.updates] in await Array(updates).count }
    let merged = Task { await failure { try await view.waitUntilMerged(100) } }
    await others()
    await stack.close()
    let counts = await [all.value, shown.value, ofBoats.value, updates.value]
    #expect(counts == [0, 0, 0, 0])
    #expect(await merged.value?.code == .closed)
  }

  @Test func `a save that waits behind another one ends when the stack closes`() async throws {
    // The first save is committed, but its merge never comes. The second save must not wait for the
    // merge.
    let stack = try await stack()
    let view = stack.viewContext
    try await stack.withScratch { $0.insert(Boat(id: 1, harbourID: 1)) }
    let slow = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    view.insert(Boat(id: 2))
    let first = Task { await failure { try await view.save() } }
    await gate.waitForArrivals()
    view.insert(Boat(id: 3))
    var ended = 0
    for _ in 0..<2 {
      Task {
        _ = await failure { try await view.save() }
        ended += 1
      }
    }
    await others()
    await stack.close()
    _ = await first.value
    #expect(await eventually { ended == 2 })
    // A later save does not wait for it either.
    Task {
      _ = await failure { try await view.save() }
      ended += 1
    }
    #expect(await eventually { ended == 3 })
    await gate.open()
    #expect(slow.elements.isEmpty)
  }

  @Test func `a live query that never loaded ends when the stack closes`() async throws {
    let stack = try await stack()
    let gate = TestGate()
    await stack.viewContext.maintainer.hold(at: gate)
    let early = stack.viewContext.live(Boat.all)
    let waiting = Task { await failure { try await early.waitUntilLoaded() } }
    await gate.waitForArrivals()
    await stack.close()
    #expect(await waiting.value?.code == .closed)
    await gate.open()

    let late = stack.viewContext.live(Boat.all)
    var ends: [String] = []
    for (name, live) in [("early", early), ("late", late)] {
      Task {
        if await failure({ try await live.waitUntilLoaded() })?.code == .closed {
          ends.append("\(name) load")
        }
      }
      Task {
        for await _ in live.updates {}
        ends.append("\(name) updates")
      }
    }
    let expected = ["early load", "early updates", "late load", "late updates"]
    _ = await eventually { ends.count == 4 }
    #expect(ends.sorted() == expected)
  }

  /// After their commit, `withScratch`, evictions and imports must not fail with `closed`. A caller
  /// that tries again would do the work twice.
  @Test func `closing the stack ends the wait for one's own commit`() async throws {
    let stack = try await stack()
    let commit = try await stack.withScratch { [gull] scratch in
      scratch.insert(gull)
      return try await scratch.save()
    }
    let waiting = Task { await stack.viewContext.mergedOwn(commit + 1) }
    await stack.close()
    await waiting.value
  }
}

extension Array {
  /// Collects the elements of a sequence until it ends.
  fileprivate init<S: AsyncSequence>(_ sequence: S) async
  where S.Element == Element, S.Failure == Never {
    self = []
    for await element in sequence { append(element) }
  }
}
