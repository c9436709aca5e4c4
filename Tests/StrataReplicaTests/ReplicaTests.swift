import Foundation
import Observation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

/// Replicas of a ``ModelServer``.
@MainActor @Suite(.inTurn) struct ReplicaTests {
  private func follow(
    _ stack: Stack, _ server: ModelServer, _ query: Query<Note> = Note.all,
    isReadOnly: Bool = false, pausing pause: @escaping Replica.Pause = { _ in await Task.yield() }
  ) async throws -> Replica {
    var options = ReplicaOptions()
    options.isReadOnly = isReadOnly
    let followed = try FollowedTables([.matching(query)], stack)
    return try await Replica.open(
      stack, of: followed, options,
      { () async throws(ReplicaError) in try server.connect(followed) },
      pageSize: 2, pausing: pause)
  }

  private func rows(_ stack: Stack) async throws -> [Note] { try await stack.fetch(Note.all) }

  private func rows(_ server: ModelServer) -> [Note] {
    server.state.withLock { $0.contents.rows.values.sorted { $0.id < $1.id } }
  }

  @Test func `rows that a store had before are pushed, and rows of the server come`() async throws {
    let stack = try await Stack.temporary([Note.self])
    try await stack.withScratch { $0.insert(Note(id: 1, title: "mine")) }
    let server = ModelServer(seed: 1)
    server.state.withLock { $0.contents.rows[2] = Note(id: 2, title: "theirs") }
    let replica = try await follow(stack, server)
    try await replica.settled()
    #expect(try await rows(stack).map(\.title) == ["mine", "theirs"])
    #expect(rows(server).map(\.title) == ["mine", "theirs"])
    await replica.close()
    await stack.close()
  }

  @Test func `a refused row blocks no other, and is sent again after an edit`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    let replica = try await follow(stack, server)
    try await stack.withScratch { context in
      for (id, title) in [(1, "a"), (2, "bad"), (3, "c")] {
        context.insert(Note(id: id, title: title))
      }
    }
    try await replica.settled()
    #expect(rows(server).map(\.id) == [1, 3])
    let outbox = stack.replicaOutbox
    #expect(try await outbox.refusals().map(\.reason) == ["bad"])
    try await stack.withScratch { context in
      let note = try #require(try await context.find(Note.self, 2))
      context.update(note) { $0.title = "good" }
    }
    try await replica.settled()
    #expect(rows(server).map(\.title) == ["a", "good", "c"])
    #expect(try await outbox.refusals().isEmpty)
    await replica.close()
    await stack.close()
  }

  // MARK: - Conflicts

  /// Returns the conflicts that a replica finds until it is settled, as "attributes: mine/theirs".
  ///
  /// Both sides begin with the notes 1 to 6, and edit them while the replica is closed.
  private func conflicts(isCopied: Bool) async throws -> (found: Set<String>, titles: [String]) {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    for id in 1...6 { server.state.withLock { $0.contents.rows[id] = Note(id: id, title: "old") } }
    var replica = try await follow(stack, server)
    try await replica.caughtUp()
    await replica.close()
    try await stack.withScratch { context in
      let notes = try await context.fetch(Note.sorted(by: \.id))
      for note in notes[0...3] { context.update(note) { ($0.title, $0.count) = ("mine", 1) } }
      context.delete(notes[4])
      context.update(notes[5]) { $0.title = "bad" }
    }
    server.state.withLock { state in
      let theirs = [
        Note(id: 1, title: "theirs"), Note(id: 2, title: "mine"),
        Note(id: 3, title: "old", count: 10), nil, Note(id: 5, title: "theirs"),
        Note(id: 6, title: "theirs"),
      ]
      for (id, note) in zip(1..., theirs) { state.set(note, at: id) }
      if isCopied { state.prune() }
    }
    replica = try await follow(stack, server)
    let conflicts = replica.conflicts
    try await replica.settled()
    try await replica.caughtUp()
    await replica.close()
    var found: Set<String> = []
    for await conflict in conflicts {
      let sides = try #require(conflict.sides(of: Note.self))
      let titles = "\(sides.mine?.title ?? "gone")/\(sides.theirs?.title ?? "gone")"
      let text = "\(conflict.key) \(conflict.attributes.joined(separator: " ")): \(titles)"
      #expect(found.insert(text).inserted)
    }
    let titles = rows(server).map(\.title)
    await stack.close()
    return (found, titles)
  }

  @Test(arguments: [false, true]) func `conflicts with edits of others are told`(
    isCopied: Bool
  ) async throws {
    let (found, titles) = try await conflicts(isCopied: isCopied)
    let told: Set = [
      "1 title: mine/theirs", "4 id title count: mine/gone", "5 id title count: gone/theirs",
      "6 title: bad/theirs",
    ]
    #expect(found == told)
    #expect(titles == ["mine", "mine", "mine", "theirs"])
  }

  /// Two replicas edit a title. The second replica to push replaced the first one's, which was told nothing of it.
  @Test func `the other side of a conflict is told, too`() async throws {
    let (mine, theirs) = (
      try await Stack.temporary([Note.self]), try await Stack.temporary([Note.self])
    )
    let server = ModelServer(seed: 1)
    let old = Note(id: 1, title: "old")
    server.state.withLock { $0.contents.rows[1] = old }
    let loser = try await follow(mine, server)
    var winner = try await follow(theirs, server)
    for replica in [loser, winner] { try await replica.caughtUp() }
    await winner.close()
    try await theirs.withScratch { $0.update(old) { $0.title = "theirs" } }
    try await mine.withScratch { $0.update(old) { $0.title = "mine" } }
    try await loser.settled()
    winner = try await follow(theirs, server)
    try await winner.settled()
    try await loser.caughtUp()
    // A later edit meets no other.
    try await theirs.withScratch { $0.update(Note(id: 1, title: "theirs")) { $0.title = "later" } }
    try await winner.settled()
    try await loser.caughtUp()
    let replaced = loser.replacedRows
    for replica in [loser, winner] { await replica.close() }
    var told: [String] = []
    for await row in replaced {
      let sides = try #require(row.sides(of: Note.self))
      told.append("\(row): \(sides.mine?.title ?? "gone")/\(sides.theirs?.title ?? "gone")")
    }
    #expect(told == ["Note 1: other has replaced title: mine/theirs"])
    for stack in [mine, theirs] { await stack.close() }
  }

  /// A copy of the file pushes under its own name, and nothing is made twice or left out.
  @Test func `two stores with the same file both push`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = ["first", "second"].map { folder.appending(path: "\($0).sqlite") }
    var first = try await Stack.open([Note.self], at: urls[0])
    let server = ModelServer(seed: 1)
    var replica = try await follow(first, server)
    try await first.withScratch { $0.insert(Note(id: 1, count: 1)) }
    try await replica.settled()
    await replica.close()
    await first.close()
    try FileManager.default.copyItem(at: urls[0], to: urls[1])
    first = try await Stack.open([Note.self], at: urls[0])
    let second = try await Stack.open([Note.self], at: urls[1])
    for stack in [first, second] {
      replica = try await follow(stack, server)
      try await stack.withScratch { context in
        let note = try #require(try await context.find(Note.self, 1))
        context.update(note) { $0.count += 10 }
      }
      try await replica.settled()
      await replica.close()
    }
    #expect(rows(server).map(\.count) == [21])
    #expect(server.state.withLock { $0.contents.clients.count } == 2)
    await first.close()
    await second.close()
  }

  // MARK: - Crashes of the server

  /// Opens a store that has the rows of a server.
  private func live() async throws -> (Stack, ModelServer, Replica) {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { $0.set(Note(id: 1), isFlushed: true) }
    let replica = try await follow(stack, server)
    try await replica.settled()
    return (stack, server, replica)
  }

  private func expectEqual(
    _ stack: Stack, _ server: ModelServer, _ replica: Replica
  ) async throws {
    try await catchUp(replica)
    #expect(try await rows(stack) == rows(server))
    await replica.close()
    await stack.close()
  }

  /// Crashes the server after a pull, and gives the numbers that the crash took back to another
  /// transaction.
  private func expectEqualAfterCrash(
    _ unflushed: @Sendable (inout ModelServer.State) -> Void
  ) async throws {
    let (stack, server, replica) = try await live()
    server.state.withLock { unflushed(&$0) }
    try await replica.caughtUp()
    server.state.withLock { state in
      state.restart(with: state.flushed)
      state.set(Note(id: 3), isFlushed: true)
    }
    try await expectEqual(stack, server, replica)
  }

  @Test func `a pull that found nothing does not go past what a crash takes back`() async throws {
    try await expectEqualAfterCrash { state in
      state.contents.next += 1
      state.write(isFlushed: false)
    }
  }

  @Test func `a pull waits until its rows are on the server's disk`() async throws {
    try await expectEqualAfterCrash { $0.set(Note(id: 2), isFlushed: false) }
  }

  @Test func `a copy waits until its pages are on the server's disk`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      state.hooks["page"] = { state in
        state.set(Note(id: 2), isFlushed: false)
        state.hooks["beginPull"] = { state in
          state.restart(with: state.flushed)
          state.set(Note(id: 3), isFlushed: true)
        }
      }
    }
    try await expectEqual(stack, server, try await follow(stack, server))
  }

  /// The connection breaks at the third of four pages. Meanwhile rows of the first page change.
  @Test(arguments: [false, true]) func `a copy goes on after its last page`(
    isRelaunched: Bool
  ) async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...7 { state.set(Note(id: id), isFlushed: true) }
      state.hooks["page"] = { state in
        state.hooks["page"] = { state in
          state.hooks["page"] = { state in
            state.set(Note(id: 1, title: "new"), isFlushed: true)
            state.set(nil, at: 2)
            state.generation += 1
          }
        }
      }
    }
    // Without a wait after the loss, the copy would go on before the relaunch.
    var replica = try await follow(stack, server) { _ in
      if isRelaunched { try? await Task.sleep(for: .seconds(3_600)) }
    }
    if isRelaunched {
      for await state in replica.monitor.updates { if case .offline = state.phase { break } }
      #expect(server.state.withLock { $0.pages } == 2)
      await replica.close()
      replica = try await follow(stack, server)
    }
    try await catchUp(replica)
    #expect(server.state.withLock { $0.pages } == 4)
    #expect(await replica.copies == (isRelaunched ? 0 : 1))
    try await expectEqual(stack, server, replica)
  }

  @Test func `a push that is made during a copy is counted once`() async throws {
    let (stack, server, replica) = try await live()
    // The answer to the commit is lost, and the commit is made during the copy that follows.
    server.state.withLock { state in
      state.isSlow = true
      state.hooks["claim"] = { state in
        state.hooks["claim"] = { state in state.hooks["beginPull"] = { $0.epoch = UUID() } }
      }
    }
    try await stack.withScratch { context in
      let note = try #require(try await context.find(Note.self, 1))
      context.update(note) { $0.count += 5 }
    }
    try await settle(replica)
    #expect(rows(server).map(\.count) == [5])
    #expect(await replica.copies == 2)
    try await expectEqual(stack, server, replica)
  }

  // MARK: - The view of an app

  /// Returns the first value of a condition that becomes true while states come.
  private func wait(_ replica: Replica, until isTrue: () -> Bool) async {
    for await _ in replica.monitor.updates where isTrue() { return }
  }

  @Test func `a row has a badge while its edits wait, and after a refusal`() async throws {
    let (stack, server, replica) = try await live()
    let monitor = replica.monitor
    let notes = [Note(id: 1, title: "mine"), Note(id: 2, title: "bad"), Note(id: 3)]
    #expect(notes.map(monitor.status) == [.settled, .settled, .settled])
    let changed = Lock(0)
    withObservationTracking {
      _ = monitor.status(of: notes[0])
    } onChange: {
      changed.withLock { $0 += 1 }
    }
    // No connection is open until the server is back.
    server.state.withLock { $0.isDown = true }
    try await stack.withScratch { context in
      context.update(try #require(try await context.find(Note.self, 1))) { $0.title = "mine" }
      context.insert(notes[1])
    }
    await wait(replica) { monitor.status(of: notes[0]) == .waiting }
    #expect(monitor.status(of: notes[1]) == .waiting)
    #expect(monitor.current.waiting == 2)
    #expect(changed.withLock(\.self) == 1)
    server.state.withLock { $0.isDown = false }
    try await settle(replica)
    await wait(replica) { monitor.status(of: notes[0]) == .settled }
    await wait(replica) { monitor.status(of: notes[1]) == .refused }
    #expect(monitor.status(of: notes[2]) == .settled)
    #expect(
      notes.map { "\(monitor.status(of: $0))" } == [
        "the server has it", "refused", "the server has it",
      ])
    await replica.close()
    await stack.close()
  }

  @Test func `a save through returns when the server has it, or says why it has not`() async throws
  {
    let (stack, server, replica) = try await live()
    let scratch = stack.makeScratch()
    scratch.insert(Note(id: 2, title: "two"))
    try await replica.save(scratch)
    #expect(rows(server).map(\.title) == ["", "two"])
    let view = stack.viewContext
    view.insert(Note(id: 3, title: "bad"))
    await #expect { try await replica.save(view) } throws: { error in
      (error as? ReplicaError)?.code == .refused
    }
    #expect(try await replica.refused().map { $0.request.id(of: Note.self) } == [3])
    // The row is refused again, with all edits of both saves.
    view.update(Note(id: 3, title: "bad")) { $0.count = 1 }
    await #expect { try await replica.save(view) } throws: { error in
      (error as? ReplicaError)?.code == .refused
    }
    view.insert(Note(id: 4, title: "four"))
    try await replica.save(view)
    #expect(rows(server).map(\.id) == [1, 2, 4])
    #expect(try await rows(stack).map(\.id) == [1, 2, 3, 4])
    await replica.close()
    await stack.close()
  }

  @Test func `diagnostics tell what the replica has done`() async throws {
    let (stack, server, replica) = try await live()
    try await stack.withScratch { $0.insert(Note(id: 2)) }
    try await replica.settled()
    server.state.withLock { $0.generation += 1 }
    try? await replica.caughtUp()
    try await catchUp(replica)
    let diagnostics = await replica.diagnostics
    #expect(diagnostics.copies == 1)
    #expect(diagnostics.pushes == 1)
    #expect(diagnostics.lastPush == 1)
    #expect(!diagnostics.isPushing)
    #expect(diagnostics.connections == 2)
    #expect(diagnostics.server == "1")
    #expect(diagnostics.lastPull != nil)
    #expect(diagnostics.lastError?.error.message == "broken")
    #expect(diagnostics.description.contains("live, 0 waiting, 0 refused"))
    await replica.close()
    await stack.close()
  }

  // MARK: - Partial replicas

  private static let recent = Note.where { $0.count < 3 || $0.title.hasPrefix("mine") }

  @Test func `a partial replica has the rows that meet its filter`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...7 { state.set(Note(id: id, count: id), isFlushed: true) }
    }
    let replica = try await follow(stack, server, Self.recent)
    try await replica.settled()
    #expect(try await rows(stack).map(\.id) == [1, 2])
    // Row 1 leaves the filter, row 5 meets it.
    server.state.withLock { state in
      state.set(Note(id: 1, count: 9), isFlushed: true)
      state.set(Note(id: 5, title: "mine"), isFlushed: true)
    }
    try await replica.caughtUp()
    #expect(try await rows(stack).map(\.id) == [2, 5])
    // An edit takes row 2 out, once the server has it.
    try await stack.withScratch { context in
      let note = try #require(try await context.find(Note.self, 2))
      context.update(note) { $0.count = 20 }
      context.insert(Note(id: 8, count: 30))
    }
    try await replica.settled()
    #expect(try await rows(stack).map(\.id) == [5])
    #expect(rows(server).map(\.count) == [9, 20, 3, 4, 0, 6, 7, 30])
    await replica.close()
    await stack.close()
  }

  /// The row left the filter on the server while it was edited here. A copy does not show it.
  @Test func `an edit of a row that left the filter reaches the server`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...3 { state.set(Note(id: id), isFlushed: true) }
    }
    var replica = try await follow(stack, server, Self.recent)
    try await replica.settled()
    await replica.close()
    try await stack.withScratch { context in
      let note = try #require(try await context.find(Note.self, 2))
      context.update(note) { $0.title = "edited" }
      context.update(try #require(try await context.find(Note.self, 3))) { $0.title = "edited" }
    }
    server.state.withLock { state in
      state.set(Note(id: 2, count: 50), isFlushed: true)
      state.set(nil, at: 3)
      state.prune()
    }
    replica = try await follow(stack, server, Self.recent)
    try await replica.settled()
    #expect(await replica.copies == 1)
    #expect(rows(server) == [Note(id: 1), Note(id: 2, title: "edited", count: 50)])
    #expect(try await rows(stack) == [Note(id: 1)])
    await replica.close()
    await stack.close()
  }

  @Test func `an edit that is given up takes a row along that left the filter`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...2 { state.set(Note(id: id), isFlushed: true) }
    }
    var replica = try await follow(stack, server, Self.recent)
    try await replica.settled()
    await replica.close()
    try await stack.withScratch { context in
      let note = try #require(try await context.find(Note.self, 2))
      context.update(note) { $0.title = "bad" }
    }
    server.state.withLock { $0.set(Note(id: 2, count: 50), isFlushed: true) }
    replica = try await follow(stack, server, Self.recent)
    try await replica.settled()
    #expect(try await rows(stack).map(\.title) == ["", "bad"])
    let refused = try await replica.refused()
    #expect(try await replica.revert(try #require(refused.first)))
    try await replica.caughtUp()
    #expect(try await rows(stack).map(\.id) == [1])
    // The row is read again only once.
    let commit = stack.historyToken.commit
    try await replica.caughtUp()
    #expect(stack.historyToken.commit == commit)
    await replica.close()
    await stack.close()
  }

  @Test func `filters with other values have other fingerprints`() async throws {
    let stack = try await Stack.temporary([Note.self])
    func text(_ ids: Range<Int>) throws -> String? {
      try stack.rowFilter(Note.where { $0.id.isIn(Array(ids)) })?.text
    }
    #expect(try text(0..<300) == text(0..<300))
    #expect(try text(0..<300) != text(1..<301))
    await stack.close()
  }

  @Test func `another filter reads the rows again`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...7 { state.set(Note(id: id, count: id), isFlushed: true) }
    }
    for (least, expected) in [(6, [6, 7]), (2, [2, 3, 4, 5, 6, 7]), (7, [7])] {
      let replica = try await follow(stack, server, Note.where { $0.count >= least })
      try await replica.settled()
      #expect(try await rows(stack).map(\.id) == expected)
      #expect(await replica.copies <= 1)
      await replica.close()
    }
    await stack.close()
  }

  @Test func `a filter reads no other rows and has no limit`() async throws {
    let stack = try await Stack.temporary([Note.self])
    #expect {
      try ReplicatedRows.matching(Note.sorted(by: \.title).limit(3)).resolve(stack)
    } throws: { ($0 as? ReplicaError)?.storeError?.code == .invalidQuery }
    await stack.close()
  }

  // MARK: - Read-only replicas

  @Test func `the rows of a read-only replica follow the server and are not edited`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { $0.set(Note(id: 1), isFlushed: true) }
    var replica = try await follow(stack, server, isReadOnly: true)
    try await replica.settled()
    await #expect { try await stack.withScratch { $0.insert(Note(id: 2)) } } throws: {
      StoreError.Code.readOnly ~= $0
    }
    let view = stack.viewContext
    view.update(try #require(try await view.find(Note.self, 1))) { $0.title = "mine" }
    await #expect { try await view.save() } throws: { StoreError.Code.readOnly ~= $0 }
    view.rollback()
    server.state.withLock { $0.set(Note(id: 3), isFlushed: true) }
    try await replica.caughtUp()
    #expect(try await rows(stack) == [Note(id: 1), Note(id: 3)])
    await replica.close()
    replica = try await follow(stack, server)
    try await stack.withScratch { $0.insert(Note(id: 2)) }
    try await replica.settled()
    #expect(rows(server).map(\.id) == [1, 2, 3])
    await replica.close()
    await stack.close()
  }

  // MARK: - Verification

  @Test func `a verification finds what no trigger saw, and writes nothing`() async throws {
    let stack = try await Stack.temporary([Note.self])
    let server = ModelServer(seed: 1)
    server.state.withLock { state in
      for id in 1...7 { state.set(Note(id: id), isFlushed: true) }
    }
    let replica = try await follow(stack, server)
    try await replica.settled()
    #expect(try await replica.verify().isEmpty)
    server.state.withLock { state in
      state.contents.rows[2] = nil
      state.contents.rows[4]?.title = "unseen"
      state.contents.rows[9] = Note(id: 9)
      // A change that the log has comes between two pages.
      state.hooks["page"] = { $0.set(Note(id: 1, title: "seen"), isFlushed: true) }
    }
    let before = stack.historyToken
    let found = try await replica.verify().map(\.description)
    #expect(found == ["Note 2: not on the server", "Note 4: title differ", "Note 9: missing"])
    let titles = try await rows(stack).map(\.title)
    #expect(titles == ["seen", "", "", "", "", "", ""])
    #expect(stack.historyToken.commit - before.commit <= 2)
    try await replica.resync()
    #expect(try await replica.verify().isEmpty)
    try await expectEqual(stack, server, replica)
  }

  /// Two replicas, a server that does its worst, and connections that break everywhere. The second
  /// replica has only some rows.
  @Test(arguments: [false, true]) func `every acknowledged edit reaches the server once`(
    _ restores: Bool
  ) async throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<2 { try await run(seed: random.next(), restores: restores) }
  }

  private func run(seed: UInt64, restores: Bool) async throws {
    var random = SeededRandom(seed: seed)
    var stacks: [Stack] = []
    for _ in 0..<2 { stacks.append(try await Stack.temporary([Note.self])) }
    let server = ModelServer(seed: seed)
    server.state.withLock { $0.failures = 15 }
    var replicas: [Replica] = []
    let queries = [Note.all, Self.recent]
    for (stack, query) in zip(stacks, queries) {
      replicas.append(try await follow(stack, server, query))
    }
    var raised = 0
    for _ in 0..<150 {
      server.disturb(restores: restores)
      let number = random.below(2)
      let stack = stacks[number]
      let (key, title) = (random.below(6), random.oneIn(3) ? "mine \(random.below(99))" : nil)
      if random.oneIn(2) {
        raised += try await edit(stack, key, title)
      }
      if random.oneIn(20) {
        await replicas[number].close()
        replicas[number] = try await follow(stack, server, queries[number])
      }
      for _ in 0..<random.below(8) { await Task.yield() }
    }
    server.endAll()
    for replica in replicas { try await settle(replica) }
    for replica in replicas { try await catchUp(replica) }
    let expected = rows(server)
    #expect(try await rows(stacks[0]) == expected, "seed \(seed)")
    let some = expected.filter { $0.count < 3 || $0.title.hasPrefix("mine") }
    #expect(try await rows(stacks[1]) == some, "seed \(seed)")
    for replica in replicas {
      #expect(try await replica.verify().map(\.description) == [], "seed \(seed)")
    }
    if !restores {
      let sum = expected.map(\.count).reduce(0, +)
      let own = server.state.withLock { $0.contents.raised }
      #expect(sum == own + raised, "seed \(seed)")
    }
    for replica in replicas { await replica.close() }
    for stack in stacks { await stack.close() }
  }

  /// Edits a note, and returns by how much its counter was raised. A row that goes meanwhile is not edited.
  private func edit(_ stack: Stack, _ key: Int, _ title: String?) async throws -> Int {
    while true {
      do {
        return try await stack.withScratch { context in
          guard let note = try await context.find(Note.self, key) else { return 0 }
          context.update(note) { note in
            if key < 4 { note.count += 1 }
            if let title { note.title = title }
          }
          return key < 4 ? 1 : 0
        }
      } catch StoreError.Code.conflict {}
    }
  }

  /// A connection of an earlier restart may still have to be found broken.
  private func settle(_ replica: Replica) async throws {
    for _ in 0..<5 where (try? await replica.settled()) != nil { return }
    try await replica.settled()
  }

  private func catchUp(_ replica: Replica) async throws {
    for _ in 0..<5 where (try? await replica.caughtUp()) != nil { return }
    try await replica.caughtUp()
  }
}
