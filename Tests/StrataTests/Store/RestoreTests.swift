import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// A backup that is put over a store.
///
/// A save then threw `replaced` and advised to close the stack and open it again. The log of the
/// earlier file still lay beside the backup, and SQLite wrote it over the backup: the rows were the
/// old ones, a mixture, or the file was malformed. The backup was the user's only copy.
@Suite(.inTurn) struct RestoreTests {
  /// The steps of a restoration.
  struct Story: CustomStringConvertible {
    enum Backup: CaseIterable { case ofAnotherStore, autoVacuumed, ofThisStore, withItsLog }
    enum Log: CaseIterable { case none, short, long, startedAgain }
    enum Put: CaseIterable { case rename, overwrite, removeAndCopy }
    enum End: CaseIterable { case closedBefore, killedBefore, closedAfter, killedAfter }

    let seed: UInt64
    let backup: Backup
    let log: Log
    let put: Put
    let end: End
    let savesAfter: Bool
    let hasSecondStack: Bool
    let secondStackStays: Bool

    init(seed: UInt64) {
      var random = SeededRandom(seed: seed)
      self.seed = seed
      backup = Backup.allCases.randomElement(using: &random)!
      log = Log.allCases.randomElement(using: &random)!
      put = Put.allCases.randomElement(using: &random)!
      end = End.allCases.randomElement(using: &random)!
      savesAfter = Bool.random(using: &random)
      hasSecondStack = Bool.random(using: &random)
      secondStackStays = Bool.random(using: &random)
    }

    var isOpenWhilePut: Bool { end == .closedAfter || end == .killedAfter || hasSecondStack }

    /// The log of an open store is overwritten byte by byte. Nothing can notice that in time.
    var isHopeless: Bool { backup == .withItsLog && put == .overwrite && isOpenWhilePut }

    /// The file gets the bytes that it has, so a save afterwards is as good as one before.
    var isWithoutEffect: Bool { backup == .ofThisStore && log == .none && put == .overwrite }

    var description: String {
      "seed \(seed): \(backup), log \(log), \(put), \(end), saves after \(savesAfter), "
        + "second \(hasSecondStack), stays \(secondStackStays)"
    }
  }

  private let folder: StoreFolder
  private let files = FileManager.default
  private var backup: String { folder.path + ".backup" }

  init() throws { folder = try StoreFolder() }

  private var options: Stack.Options {
    var options = Stack.Options()
    options.logLimit = 64 * 1024
    options.busyTimeout = .milliseconds(20)
    return options
  }

  @Test(arguments: 0..<24)
  func `opening finds the rows of the backup, whatever came before`(_ number: Int) async throws {
    let story = Story(seed: UInt64(number))
    if story.isHopeless { return }
    try await check(story)
  }

  private func check(_ story: Story) async throws {
    let stack = try await folder.stack(options)
    try await fill(stack, "first", 0..<20)
    let expected = try await makeBackup(story, of: stack)
    try await lengthenLog(story, of: stack)
    // A write-back that is under way cannot notice that the file is being overwritten.
    #expect(await eventually { await stack.hasQuietLog })
    let second = story.hasSecondStack ? try await folder.stack(options) : nil
    _ = try await second?.fetch(Boat.all)
    switch story.end {
    case .closedBefore: await stack.close()
    case .killedBefore: await stack.endAsIfKilled()
    case .closedAfter, .killedAfter: break
    }
    try put(story)
    if story.end == .closedAfter || story.end == .killedAfter {
      if story.savesAfter && !story.isWithoutEffect {
        let error = await failure { try await stack.commit { $0.insert(Boat(id: 9_999)) } }
        #expect(error?.code == .replaced, "\(story)")
      }
      if story.end == .closedAfter { await stack.close() } else { await stack.endAsIfKilled() }
    }
    if let second, !story.secondStackStays { await second.close() }
    let rows = try await openedRows(second)
    #expect(rows.map(\.name) == expected.map(\.name), "\(story)")
    await second?.close()
    // The restored store is a store like any other.
    let again = try await folder.stack(options)
    #expect(try await again.fetch(Boat.all) == expected, "\(story)")
    try await again.commit { $0.insert(Boat(id: 77_777)) }
    await again.close()
    let connection = try Connection(path: folder.path, .readWrite)
    #expect(try connection.text("PRAGMA quick_check") == "ok", "\(story)")
    let count = try connection.integer("SELECT count(*) FROM boats")
    #expect(count == Int64(expected.count + 1), "\(story)")
  }

  private func fill(_ stack: Stack, _ name: String, _ ids: Range<Int>) async throws {
    try await stack.withScratch { scratch in
      for id in ids { scratch.upsert(Boat(id: id, name: "\(name) \(id)", length: id)) }
    }
  }

  /// Makes the backup, and returns its rows.
  private func makeBackup(_ story: Story, of stack: Stack) async throws -> [Boat] {
    switch story.backup {
    case .ofAnotherStore, .autoVacuumed:
      let other = try await Stack.open(
        Boat.self, Harbour.self, at: URL(fileURLWithPath: backup), options: options)
      try await fill(other, "other", 0..<300)
      let rows = try await other.fetch(Boat.all)
      await other.close()
      if story.backup == .autoVacuumed {
        let connection = try Connection(path: backup, .readWrite)
        try connection.run("PRAGMA auto_vacuum = FULL; VACUUM")
      }
      return rows
    case .ofThisStore:
      await stack.suspend()
      try files.copyItem(atPath: folder.path, toPath: backup)
      try await stack.resume()
    case .withItsLog:
      for suffix in ["", "-wal"] {
        try files.copyItem(atPath: folder.path + suffix, toPath: backup + suffix)
      }
    }
    return try await stack.fetch(Boat.all)
  }

  private func lengthenLog(_ story: Story, of stack: Stack) async throws {
    switch story.log {
    case .none: break
    case .short: try await fill(stack, "second", 10..<11)
    case .long: try await fill(stack, "second", 5..<400)
    case .startedAgain:
      for turn in 0..<40 { try await fill(stack, "turn \(turn)", turn * 7..<turn * 7 + 9) }
    }
  }

  private func put(_ story: Story) throws {
    let suffixes = story.backup == .withItsLog ? ["-wal", ""] : [""]
    for suffix in suffixes {
      let (source, target) = (backup + suffix, folder.path + suffix)
      switch story.put {
      case .rename: #expect(rename(source, target) == 0)
      case .overwrite:
        let data = try Data(contentsOf: URL(fileURLWithPath: source))
        try data.write(to: URL(fileURLWithPath: target), options: [])
      case .removeAndCopy:
        try? files.removeItem(atPath: target)
        try files.copyItem(atPath: source, toPath: target)
      }
    }
  }

  /// Opens the store, following the advice of a refusal.
  private func openedRows(_ second: Stack?) async throws -> [Boat] {
    do {
      let stack = try await folder.stack(options)
      let rows = try await stack.fetch(Boat.all)
      await stack.close()
      return rows
    } catch StoreError.Code.replaced where second != nil {
      // The advice: close the other stack.
      await second?.close()
      let stack = try await folder.stack(options)
      let rows = try await stack.fetch(Boat.all)
      await stack.close()
      return rows
    }
  }

  @Test func `the log of the earlier file is kept beside the backup`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, "first", 0..<5)
    await stack.suspend()
    try files.copyItem(atPath: folder.path, toPath: backup)
    try await stack.resume()
    try await fill(stack, "second", 0..<5)
    await stack.endAsIfKilled()
    #expect(rename(backup, folder.path) == 0)
    let set = Lock<[URL]>([])
    var options = Stack.Options()
    options.log = { event in
      if case .logSetAside(let url) = event { set.withLock { $0.append(url) } }
    }
    let again = try await folder.stack(options)
    #expect(try await again.fetch(Boat.all).map(\.name) == (0..<5).map { "first \($0)" })
    let url = try #require(set.withLock(\.first))
    #expect(url.path.hasPrefix(folder.path + ".replaced-") && url.path.hasSuffix("-wal"))
    #expect(files.fileExists(atPath: url.path))
    await again.close()
  }

  /// A copy of all files at one moment is a store, wherever it lies.
  @Test func `a copy of an open store with its log has every commit`() async throws {
    let stack = try await folder.stack()
    for turn in 0..<4 {
      try await fill(stack, "turn \(turn)", turn..<turn + 3)
      let copy = "\(backup)-\(turn)"
      for suffix in ["", "-wal"] {
        try files.copyItem(atPath: folder.path + suffix, toPath: copy + suffix)
      }
      let opened = try await Stack.open(
        Boat.self, Harbour.self, at: URL(fileURLWithPath: copy), options: options)
      #expect(try await opened.fetch(Boat.all) == (try await stack.fetch(Boat.all)))
      await opened.close()
    }
    await stack.close()
  }

  /// While another program reads an old state, SQLite writes back only the pages that have not
  /// changed since. The page of the mark is never among them.
  @Test func `commits stay if a reader has kept the session from the file`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, "first", 0..<3)
    await stack.close()
    try commitBesideReader()

    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).map(\.length) == [77, 77, 77])
    await again.close()
  }

  /// Commits in a session that a reader keeps from the file, and ends as if killed.
  private func commitBesideReader() throws {
    let writer = try connection()
    guard case .begun(let mark) = try LogTie.begin(writer, at: folder.path) else {
      Issue.record("no session has begun")
      return
    }
    let before = files.contents(atPath: folder.path)
    let count = "UPDATE strata_commit SET number = number + 1"
    try writer.run("BEGIN; UPDATE boats SET length = 77; \(count); COMMIT")
    let reader = try connection()
    try reader.run("BEGIN; SELECT * FROM boats")
    try writer.run(count)
    _ = try writer.checkpointPassively()
    #expect(files.contents(atPath: folder.path) != before)
    #expect(try LogMark.stored(inFileOf: writer) != .session(mark.session))
    try reader.run("COMMIT")
  }

  /// Opens a connection that leaves the log when it closes.
  private func connection() throws -> Connection {
    let connection = try Connection(path: folder.path, access: .existing, busyTimeout: .zero)
    connection.leaveLog(true)
    return connection
  }

  @Test @MainActor func `screens show the earlier rows until their stack is closed`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, "first", 0..<2)
    await stack.suspend()
    try files.copyItem(atPath: folder.path, toPath: backup)
    try await stack.resume()
    try await fill(stack, "second", 0..<3)
    let view = stack.viewContext
    let live = view.live(Boat.sorted(by: \.id))
    try await live.waitUntilLoaded()
    #expect(rename(backup, folder.path) == 0)
    let names = (0..<3).map { "second \($0)" }
    #expect(live.elements.map(\.name) == names)
    #expect(try await view.fetch(Boat.all).map(\.name) == names)
    view.insert(Boat(id: 9, name: "edit"))
    #expect(await failure { try await view.save() }?.code == .replaced)
    #expect(live.elements.map(\.name) == names + ["edit"])
    let ended = Task { for await _ in stack.changes {} }
    await stack.close()
    await ended.value
    #expect(live.elements.map(\.name) == names + ["edit"])
    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).map(\.name) == ["first 0", "first 1"])
    await again.close()
  }

  @Test(arguments: [true, false])
  func `a log that was taken away gets no commit`(isPutBack: Bool) async throws {
    let stack = try await folder.stack()
    try await fill(stack, "first", 0..<3)
    if isPutBack {
      // A stack that opens the copy meanwhile sets the log of the open stack aside.
      try files.moveItem(atPath: folder.path, toPath: backup)
      try files.copyItem(atPath: backup, toPath: folder.path)
      try await folder.stack().close()
      #expect(rename(backup, folder.path) == 0)
    } else {
      try files.removeItem(atPath: folder.path + "-wal")
    }
    let error = await failure { try await stack.commit { $0.insert(Boat(id: 9)) } }
    #expect(error?.code == .replaced)
    // The advice: close the stack and open it again.
    await stack.close()
    let again = try await folder.stack()
    #expect(try await again.fetch(Boat.all).map(\.id) == [0, 1, 2])
    await again.close()
  }

  /// Another stack takes the first commit of a session for a commit of another program otherwise,
  /// and reads all tables again.
  @Test func `the mark of a session is no change for other stacks`() async throws {
    let first = try await folder.stack()
    try await first.commit { $0.insert(Boat(id: 1)) }
    await first.close()
    var options = Stack.Options()
    options.history = .keep(for: .seconds(1000))
    let (writer, reader) = (try await folder.stack(options), try await folder.stack(options))
    var changes = reader.changes.makeAsyncIterator()
    let commit = try await writer.commit { $0.insert(Boat(id: 2)) }
    let set = try #require(await changes.next())
    #expect(set.commit == commit && set.changes(of: Boat.self).isReset == false)
    #expect(set.changes(of: Boat.self).inserted.map(\.id) == [2])
    await writer.close()
    await reader.close()
  }
}

extension Stack {
  /// Whether the log is neither being written back nor about to be.
  fileprivate var hasQuietLog: Bool {
    get async {
      let isQuiet = try? await store.writer.submit(.urgent) { writer in
        !writer.log.isWritingBack && !writer.log.isRestartDue
      }
      return isQuiet ?? true
    }
  }

  /// Closes the files as the system does when the process is killed.
  nonisolated(nonsending) func endAsIfKilled() async {
    await store.writer.pool.close()
    await store.writer.checkpointer.close()
    _ = try? await store.writer.submit(.urgent) { $0.file.close() }
    await close()
  }
}
