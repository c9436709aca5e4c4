import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Two stacks over one file, which stand for two processes.
@Suite(.inTurn) @MainActor struct ForeignHistoryTests {
  private let file: SharedStore

  init() throws { file = try SharedStore() }

  @Test func `the other one is told of exactly what was committed, without asking`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long)
    let live = try await there.viewContext.loaded(Boat.sorted(by: \.name))
    var updates = live.updates.makeAsyncIterator()
    let shown = there.viewContext.changes
    let boat = Boat(id: 1, name: "Gull")
    let commit = try await here.commit { $0.insert(boat) }
    // Only the signal of the other stack reaches this stack.
    try await there.viewContext.waitUntilMerged(commit)
    #expect(live.elements.map(\.name) == ["Gull"])
    let update = await updates.next()
    #expect(update?.isReset == false && update?.insertions.count == 1)
    var iterator = shown.makeAsyncIterator()
    let changes = await iterator.next()
    #expect(changes?.commit == commit && changes?.changes(of: Boat.self).inserted == [boat])
    await here.close()
    await there.close()
  }

  @Test func `a store without a history makes the other stack read again`() async throws {
    let here = try await file.open()
    let there = try await file.open()
    let live = try await there.viewContext.loaded(Boat.all)
    let changes = there.changes
    let commit = try await here.commit { $0.insert(Boat(id: 1)) }
    try await there.viewContext.waitUntilMerged(commit)
    #expect(live.elements.map(\.id) == [1])
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.changes(of: Boat.self).isReset == true)
    await here.close()
    await there.close()
  }

  @Test func `a commit that is missing in the history means a reset of everything`() async throws {
    let recording = try await file.open(.long)
    let silent = try await file.open()
    let there = try await file.open { $0.watchesOtherProcesses = false }
    let changes = there.changes
    try await recording.commit { $0.insert(Boat(id: 1)) }
    try await silent.commit { $0.insert(Boat(id: 2)) }
    try await recording.commit { $0.insert(Boat(id: 3)) }
    // Without signals, the stack finds all three commits with its own commit.
    #expect(try await there.commit { $0.insert(Boat(id: 4)) } == 4)
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.changes(of: Boat.self).isReset == true)
    for stack in [recording, silent, there] { await stack.close() }
  }

  // Only the making of the index gives way. An interrupted look would publish a reset.
  @Test func `an index that gives way does not cut short the look for commits of others`()
    async throws
  {
    let here = try await file.open(.long)
    let there = try await file.open { $0.watchesOtherProcesses = false }
    for id in 1...300 { try await here.commit { $0.insert(Boat(id: id)) } }
    let changes = there.changes
    try await there.store.writer.enqueue(.urgent) { writer throws(StoreError) in
      let flag = CancellationFlag()
      flag.raise()
      _ = try writer.makeNextDeferredIndex(unless: flag)
    }.value
    var iterator = changes.makeAsyncIterator()
    #expect(await iterator.next()?.changes(of: Boat.self).isReset == false)
    for stack in [here, there] { await stack.close() }
  }

  @Test func `edits stay on top of what the other one commits`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long)
    let boats = (1...3).map { Boat(id: $0, name: "old") }
    let first = try await here.commit { scratch in boats.forEach(scratch.insert) }
    try await there.viewContext.waitUntilMerged(first)
    let view = there.viewContext
    let live = try await view.loaded(Boat.all)
    view.update(boats[0]) { $0.length = 5 }
    view.update(boats[1]) { $0.name = "mine" }
    view.delete(boats[2])
    view.insert(Boat(id: 4))
    let second = try await here.commit { scratch in
      for boat in boats { scratch.update(boat) { $0.name = "theirs" } }
    }
    try await view.waitUntilMerged(second)
    #expect(live.elements.map(\.name) == ["theirs", "mine", ""])
    #expect(live.elements.map(\.length) == [5, 0, 0])
    #expect(view.conflicts.map(\.key) == [RecordKey(.integer(2)), RecordKey(.integer(3))])
    #expect(await failure { try await view.save() }?.conflicts.count == 2)
    try await view.save(.overwrite)
    #expect(
      try await here.rows("SELECT id, name, length FROM boats")
        == ["1 theirs 5", "2 mine 0", "4  0"])
    await here.close()
    await there.close()
  }

  @Test func `commits of both sides compose to the difference, and live queries stay right`()
    async throws
  {
    let stacks = [try await file.open(.long), try await file.open(.long)]
    let streams = stacks.map(\.changes)
    var lives: [LiveQuery<Boat>] = []
    for stack in stacks {
      lives.append(try await stack.viewContext.loaded(Boat.sorted(by: \.length).limit(5)))
    }
    await withTaskGroup { group in
      for (side, stack) in stacks.enumerated() {
        group.addTask {
          var random = SeededRandom(seed: UInt64(side))
          for number in 0..<200 {
            _ = try? await stack.commit(.overwrite) { scratch in
              scratch.upsert(Boat(id: random.below(20), name: "\(side)", length: number))
              if random.oneIn(3) { scratch.delete(Boat(id: random.below(20))) }
            }
          }
        }
      }
    }
    let newest = max(stacks[0].store.newestCommit, stacks[1].store.newestCommit)
    let stored = try await stacks[0].fetch(Boat.all)
    for (number, stack) in stacks.enumerated() {
      try await stack.viewContext.waitUntilMerged(newest)
      #expect(
        Array(lives[number].elements)
          == (try await stack.fetch(Boat.sorted(by: \.length).limit(5))))
      var boats: [Int: Boat] = [:]
      var iterator = streams[number].makeAsyncIterator()
      var seen: Int64 = 0
      while seen < newest, let set = await iterator.next() {
        let changes = set.changes(of: Boat.self)
        #expect(!changes.isReset)
        for boat in changes.deleted { boats[boat.id] = nil }
        for boat in changes.inserted { boats[boat.id] = boat }
        for update in changes.updated { boats[update.after.id] = update.after }
        seen = set.commit
      }
      #expect(boats.values.sorted { $0.id < $1.id } == stored)
    }
    #expect(try await stacks[0].commits() == Array(1...newest))
    for stack in stacks { await stack.close() }
  }

  @Test func `a save says its own commit's number, whoever commits right after it`() async throws {
    // The merge step of a commit pins a snapshot, which may see a later commit of the other
    // process. The save must still return the number of its own commit.
    let stacks = [try await file.open(.long), try await file.open(.long)]
    var numbers: [Int64] = []
    try await withThrowingTaskGroup(of: [Int64].self) { group in
      for (side, stack) in stacks.enumerated() {
        group.addTask {
          var numbers: [Int64] = []
          for id in 0..<500 {
            numbers.append(try await stack.commit { $0.insert(Boat(id: id * 2 + side)) })
          }
          return numbers
        }
      }
      for try await some in group { numbers += some }
    }
    #expect(numbers.sorted() == Array(1...1_000))
    for stack in stacks { await stack.close() }
  }

  @Test func `a commit while a stack opens is not reported twice`() async throws {
    let here = try await file.open(.long)
    try await here.commit { $0.insert(Boat(id: 1)) }
    for number in 2..<12 {
      let committing = Task { try await here.commit { $0.insert(Boat(id: number)) } }
      let there = try await file.open(.long)
      let changes = there.viewContext.changes
      let first = there.viewContext.commit
      let commit = try await committing.value
      try await there.viewContext.waitUntilMerged(commit)
      if first < commit {
        var iterator = changes.makeAsyncIterator()
        let inserted = await iterator.next()?.changes(of: Boat.self).inserted
        #expect(inserted?.map(\.id) == [number])
      }
      await there.close()
    }
    await here.close()
  }

  @Test func `a commit that changes no entity is waited for like any other`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long)
    try await here.commit { $0.insert(Boat(id: 1)) }
    let forgetting = here.store.writer.enqueue(.normal) { writer throws(StoreError) in
      _ = try writer.transaction { transaction throws(StoreError) in
        try transaction.forgetImport(nil)
      }
    }
    try await forgetting.value
    #expect(try await here.viewContext.fetch(Boat.all).count == 1)
    try await there.viewContext.waitUntilMerged(2)
    #expect(try await there.viewContext.fetch(Boat.all).count == 1)
    #expect(try await here.commits() == [1, 2])
    await here.close()
    await there.close()
  }

  @Test func `a store that stays locked is a typed error, and nothing is lost`() async throws {
    let stack = try await file.open(.long) { $0.busyTimeout = .milliseconds(20) }
    let connection = try Connection(path: file.path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    stack.viewContext.insert(Boat(id: 1))
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 2))
    #expect(await failure { try await stack.viewContext.save() }?.code == .busy)
    #expect(await failure { try await scratch.save() }?.code == .busy)
    #expect(stack.viewContext.hasChanges && scratch.hasChanges)
    try connection.execute("COMMIT")
    try await stack.viewContext.save()
    try await scratch.save()
    #expect(try await stack.rows("SELECT id FROM boats") == ["1", "2"])
    #expect(try await stack.commits() == [1, 2])
    await stack.close()
  }

  /// A timeout that means for ever must not overflow when the store opens.
  @Test(arguments: [Duration.seconds(600), .seconds(Int64.max)])
  func `a writer waits for another one within the timeout`(timeout: Duration) async throws {
    let stack = try await file.open(.long) { $0.busyTimeout = timeout }
    let connection = try Connection(path: file.path, .readWrite)
    try connection.execute("BEGIN IMMEDIATE")
    let saving = Task { try await stack.commit { $0.insert(Boat(id: 1)) } }
    await others()
    try connection.execute("COMMIT")
    #expect(try await saving.value == 1)
    await stack.close()
  }
}
