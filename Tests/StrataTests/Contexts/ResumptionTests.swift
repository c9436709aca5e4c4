import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Resumptions of a stack that meet foreign commits, other files and the stack's unfinished work.
@Suite(.inTurn) @MainActor struct ResumptionTests {
  let folder: StoreFolder
  let gull = Boat(id: 1, name: "Gull")

  init() throws { folder = try StoreFolder() }

  @Test func `a commit of another process during the suspension is shown, and edits stay on top`()
    async throws
  {
    let stack = try await folder.stack()
    let view = stack.viewContext
    let boats = (1...4).map { Boat(id: $0, name: "old") }
    try await stack.withScratch { scratch in boats.forEach(scratch.insert) }
    let live = try await view.loaded(Boat.all)
    let limited = try await view.loaded(Boat.sorted(by: \.name).limit(2))
    view.update(boats[0]) { $0.name = "mine" }
    view.update(boats[1]) { $0.length = 5 }
    await stack.suspend()
    view.update(boats[2]) { $0.name = "mine too" }
    try commitElsewhere(
      "UPDATE boats SET name = 'theirs' WHERE id IN (1, 2)", at: folder.path)
    try commitElsewhere("DELETE FROM boats WHERE id = 4", at: folder.path)
    #expect(live.elements.map(\.name) == ["mine", "old", "mine too", "old"])
    try await stack.resume()
    #expect(view.commit == 3)
    #expect(live.elements.map(\.name) == ["mine", "theirs", "mine too"])
    #expect(Array(live.elements) == (try await view.fetch(Boat.all)))
    #expect(
      Array(limited.elements) == (try await view.fetch(Boat.sorted(by: \.name).limit(2))))
    #expect(view.conflicts.map(\.key) == [RecordKey(.integer(1))])
    #expect(await failure { try await view.save() }?.code == .conflict)
    try await view.save(.overwrite)
    #expect(
      try await stack.rows("SELECT name, length FROM boats")
        == ["mine 0", "theirs 5", "mine too 0"])
    await stack.close()
  }

  @Test func `a write of another program that counts no commit is shown after the suspension`()
    async throws
  {
    let stack = try await folder.stack()
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await stack.viewContext.loaded(Boat.all)
    var changes = stack.changes.makeAsyncIterator()
    await stack.suspend()
    do {
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("UPDATE boats SET name = 'Other'")
    }
    try await stack.resume()
    #expect(live.elements.map(\.name) == ["Other"])
    #expect(await changes.next()?.changes(of: Boat.self).isReset == true)
    await stack.close()
  }

  // A program may write between the last check of the file and its closing. The stack must not take
  // that write for known rows.
  @Test func `a write of another program at the last sync of the suspension is shown`() async throws
  {
    let writer = WriterAtLastSync()
    ObservedFileSystem.observe(folder.path, with: writer)
    defer { ObservedFileSystem.endObserving(folder.path, with: writer) }
    let stack = try await folder.stack()
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await stack.viewContext.loaded(Boat.all)
    writer.isArmed.withLock { $0 = true }
    await stack.suspend()
    #expect(!writer.isArmed.withLock { $0 }, "the other program has written")
    try await stack.resume()
    #expect(live.elements.map(\.name) == ["Other"])
    await stack.close()
  }

  /// A second program, which writes without counting a commit while the log is written back.
  private final class WriterAtLastSync: FileObserver {
    let isArmed = Lock(false)

    func didSync(_ file: String, isFull: Bool) {
      guard !file.hasSuffix("-wal") else { return }
      let writes = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      if writes {
        try? Connection(path: file, .readWrite).execute("UPDATE boats SET name = 'Other'")
      }
    }

    func failure(of call: FileCall, _ file: String) -> Int32? { nil }
  }

  @Test func `a suspension without a foreign commit reports no change`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    var updates = live.updates.makeAsyncIterator()
    var changes = stack.changes.makeAsyncIterator()
    var shown = view.changes.makeAsyncIterator()
    for _ in 0..<3 {
      await stack.suspend()
      // A second process only reads.
      let reader = try Connection(path: folder.path)
      #expect(try reader.integer("SELECT count(*) FROM boats") == 1)
      try await stack.resume()
    }
    try await stack.withScratch { $0.insert(Boat(id: 2)) }
    let update = await updates.next()
    #expect(update?.isReset == false && update?.insertions == [1])
    #expect(await changes.next()?.changes(of: Boat.self).inserted.map(\.id) == [2])
    #expect(await shown.next()?.changes(of: Boat.self).inserted.map(\.id) == [2])
    await stack.close()
  }

  @Test func `a file that is gone stays gone, and can be put back`() async throws {
    let stack = try await folder.stack()
    let live = try await stack.viewContext.loaded(Boat.all)
    try await stack.withScratch { [gull] in $0.insert(gull) }
    await stack.suspend()
    try folder.move(to: "elsewhere")
    let fetching = Task { try await stack.viewContext.fetch(Boat.all) }
    for _ in 0..<2 {
      #expect(await failure { try await stack.resume() }?.code == .cannotOpen)
      #expect(stack.isSuspended)
      #expect(try folder.names == ["elsewhere"])
    }
    stack.viewContext.insert(Boat(id: 2))
    #expect(live.elements.map(\.id) == [1, 2])
    try folder.moveBack(from: "elsewhere")
    try await stack.resume()
    #expect(try await fetching.value.contains(gull))
    try await stack.viewContext.save()
    #expect(try await stack.rows("SELECT id FROM boats") == ["1", "2"])
    await stack.close()
  }

  @Test func `another file in the store's place is refused`() async throws {
    let stack = try await folder.stack()
    try await stack.withScratch { [gull] in $0.insert(gull) }
    await stack.suspend()
    try folder.move(to: "elsewhere")
    // A new store has fewer commits than the moved store, as a backup would have.
    await (try await folder.stack()).close()
    #expect(await failure { try await stack.resume() }?.code == .replaced)
    // A second store has more commits, but they are not commits of this store.
    try FileManager.default.removeItem(atPath: folder.path)
    let other = try await folder.stack()
    for id in 5...9 { try await other.withScratch { $0.insert(Boat(id: id)) } }
    await other.close()
    #expect(await failure { try await stack.resume() }?.code == .replaced)
    try FileManager.default.removeItem(atPath: folder.path)
    #expect(FileManager.default.createFile(atPath: folder.path, contents: Data()))
    #expect(await failure { try await stack.resume() }?.code == .replaced)
    try Data("not a database, but long enough to be taken for one".utf8)
      .write(to: folder.url)
    #expect(await failure { try await stack.resume() }?.code == .notADatabase)
    #expect(stack.isSuspended)
    try folder.moveBack(from: "elsewhere")
    try await stack.resume()
    #expect(try await stack.fetch(Boat.all) == [gull])
    await stack.close()
  }

  @Test func `a file that is locked is not waited for forever`() async throws {
    var options = Stack.Options()
    options.busyTimeout = .milliseconds(1)
    let stack = try await folder.stack(options)
    try await stack.withScratch { [gull] in $0.insert(gull) }
    await stack.suspend()
    do {
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("PRAGMA locking_mode = EXCLUSIVE")
      try other.execute("UPDATE boats SET length = 4")
      #expect(await failure { try await stack.resume() }?.code == .busy)
      #expect(stack.isSuspended)
    }
    try await stack.resume()
    #expect(try await stack.fetch(Boat.all).map(\.length) == [4])
    await stack.close()
  }

  @Test func `tables that were changed meanwhile are refused`() async throws {
    let stack = try await folder.stack()
    await stack.suspend()
    do {
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("CREATE TABLE other (id INTEGER)")
    }
    #expect(await failure { try await stack.resume() }?.code == .schemaChanged)
    #expect(stack.isSuspended)
    await stack.close()
  }

  @Test func `a first load that a suspension stops is done after the resumption`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    let loading = Task { try await live.waitUntilLoaded() }
    // A query that was loaded before this commit has to catch up with it.
    try await stack.withScratch { [gull] in $0.update(gull) { $0.name = "Swan" } }
    await stack.suspend()
    await gate.open()
    await others()
    #expect(!live.isLoaded && live.error == nil)
    // A query that is opened during the suspension has nothing to be loaded from either.
    let late = view.live(Boat.sorted(by: \.name))
    let impatient = Task { await failure { try await late.waitUntilLoaded() } }
    await others()
    #expect(!late.isLoaded && late.error == nil)
    impatient.cancel()
    #expect(await impatient.value?.code == .cancelled)
    view.insert(Boat(id: 3))
    try commitElsewhere("INSERT INTO boats VALUES (2, 'Auk', 0, NULL, NULL)", at: folder.path)
    try commitElsewhere("UPDATE boats SET name = 'Tern' WHERE id = 1", at: folder.path)
    try await stack.resume()
    try await loading.value
    try await late.waitUntilLoaded()
    #expect(live.elements.map(\.name) == ["Tern", "Auk", ""])
    #expect(late.elements.map(\.name) == ["", "Auk", "Tern"])
    await stack.close()
  }

  @Test func `a first load that notices a suspension late has the commits after it`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let live = view.live(Boat.all)
    await gate.waitForArrivals()
    await stack.suspend()
    try await stack.resume()
    try await stack.withScratch { $0.insert(Boat(id: 2)) }
    #expect(!live.isLoaded)
    await gate.open()
    try await live.waitUntilLoaded()
    try await stack.withScratch { $0.insert(Boat(id: 3)) }
    #expect(live.elements.map(\.id) == [1, 2, 3])
    await stack.close()
  }

  @Test func `a merge turn that a suspension stops comes with the next one`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    let boat = Boat(id: 1, name: "old", harbourID: 1)
    try await stack.withScratch {
      $0.insert(Harbour(id: 1))
      $0.insert(boat)
    }
    let live = try await view.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    var changes = view.changes.makeAsyncIterator()
    // A query through a reference is loaded at every change. This holds the merge up.
    let slow = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    view.update(boat) { $0.name = "new" }
    view.insert(Boat(id: 2, name: "second", harbourID: 1))
    let isSaved = Lock(false)
    let saving = Task {
      let commit = try await view.save()
      isSaved.withLock { $0 = true }
      return commit
    }
    await gate.waitForArrivals()
    await stack.suspend()
    await gate.open()
    await others()
    #expect(!isSaved.withLock { $0 } && view.isSaving)
    #expect(live.elements.map(\.name) == ["new", "second"])
    try commitElsewhere(
      "INSERT INTO harbours VALUES (2, '', 1)", at: folder.path)
    try await stack.resume()
    #expect(try await saving.value == 2)
    #expect(view.commit == 3 && !view.isSaving && !view.hasChanges)
    #expect(live.elements.map(\.name) == ["new", "second"])
    #expect(slow.elements.map(\.name) == ["new", "second"])
    #expect(await updates.next()?.elements.count == 2)
    #expect(await changes.next()?.commit == 3)
    // Later commits maintain the results from the right state.
    try await stack.withScratch { $0.delete(Boat(id: 2, name: "second", harbourID: 1)) }
    #expect(live.elements.map(\.name) == ["new"] && slow.elements.map(\.name) == ["new"])
    await stack.close()
  }

  @Test func `maintained queries get what a stopped merge turn had for them`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { $0.insert(Boat(id: 1, harbourID: 1)) }
    let live = try await view.loaded(Boat.all)
    let observed = Lock<[Int]>([])
    let observation = live.result.observe { change in
      observed.withLock { $0.append(change.new.tree.count) }
    }
    defer { live.result.stopObserving(observation) }
    let slow = try await view.loaded(Boat.where { $0.harbour.isOpen })
    let gate = TestGate()
    await view.maintainer.hold(at: gate)
    let commit = try await stack.commit { $0.insert(Boat(id: 2)) }
    await gate.waitForArrivals()
    await stack.suspend()
    await gate.open()
    await others()
    #expect(live.elements.count == 1)
    try await stack.resume()
    try await view.waitUntilMerged(commit)
    #expect(live.elements.map(\.id) == [1, 2] && slow.elements.isEmpty)
    #expect(observed.withLock { $0 } == [2])
    await stack.close()
  }

  @Test func `edits are rebased even if a suspension stops their reading`() async throws {
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { [gull] in $0.insert(gull) }
    let live = try await view.loaded(Boat.all)
    let turns = Lock(0)
    for round in 1...20 {
      view.update(gull) { $0.length = round }
      await stack.suspend()
      try commitElsewhere("UPDATE boats SET name = '\(round)'", at: folder.path)
      // The merge turn of the first resumption may or may not be over when the second suspension
      // comes.
      let resuming = Task {
        try await stack.resume()
        turns.withLock { $0 += 1 }
      }
      for _ in 0..<round { await Task.yield() }
      await stack.suspend()
      try await stack.resume()
      try await resuming.value
      #expect(live.elements.map(\.name) == ["\(round)"] && live.elements[0].length == round)
    }
    #expect(view.conflicts.isEmpty && turns.withLock { $0 } == 20)
    try await view.save()
    #expect(try await stack.rows("SELECT name, length FROM boats") == ["20 20"])
    await stack.close()
  }

  @Test func `every resumption is exact under workers that never stop`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await folder.stack()
    let view = stack.viewContext
    try await stack.withScratch { scratch in
      scratch.insert(Harbour(id: 1))
      for id in 1...20 { scratch.insert(Boat(id: id, harbourID: 1)) }
    }
    let queries = [
      Boat.all, Boat.sorted(by: \.length, order: .reverse).limit(5),
      Boat.where { $0.harbour.isOpen },
    ]
    var lives: [LiveQuery<Boat>] = []
    for query in queries { lives.append(view.live(query)) }
    let isOver = Lock(false)
    let workers = (0..<3).map { number in
      Task { @concurrent [seed = random.next()] in
        var random = SeededRandom(seed: seed)
        while !isOver.withLock({ $0 }) {
          let id = 1 + random.below(20)
          let length = random.below(1000)
          try await stack.commit(.overwrite) {
            $0.upsert(Boat(id: id, name: "\(number)", length: length, harbourID: 1))
          }
          if try await stack.fetch(Boat.all).count != 20 { Issue.record("a fetch lost boats") }
          if random.oneIn(4) { await Task.yield() }
        }
      }
    }
    for round in 1...25 {
      let boat = Boat(id: 1 + random.below(20))
      view.update(boat) { $0.speed = round }
      let saving = Task { try await view.save(.overwrite) }
      for _ in 0..<random.below(60) { await Task.yield() }
      await stack.suspend()
      if random.oneIn(2) {
        try commitElsewhere("UPDATE boats SET speed = \(round)", at: folder.path)
      }
      try await stack.resume()
      _ = try await saving.value
    }
    isOver.withLock { $0 = true }
    for worker in workers { try await worker.value }
    try await view.waitUntilMerged(stack.store.newestCommit)
    for (live, query) in zip(lives, queries) {
      try await live.waitUntilLoaded()
      #expect(Array(live.elements) == (try await stack.fetch(query)))
    }
    await stack.close()
  }
}
