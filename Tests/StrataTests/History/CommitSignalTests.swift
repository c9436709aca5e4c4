import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The file that signals commits between processes.
@Suite(.inTurn) struct CommitSignalTests {
  private let file: SharedStore

  init() throws { file = try SharedStore() }

  /// Commits in one stack, and returns when the other stack, which does nothing itself, has the
  /// commit.
  private func isReported(_ there: Stack, of here: Stack, id: Int) async throws {
    let commit = try await here.commit { $0.insert(Boat(id: id)) }
    try await there.viewContext.waitUntilMerged(commit)
  }

  @Test func `removing the file makes nobody deaf`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long)
    try await isReported(there, of: here, id: 1)
    try FileManager.default.removeItem(atPath: file.path + "-notify")
    try await isReported(there, of: here, id: 2)
    let third = try await file.open(.long)
    for id in 3..<6 { try await isReported(third, of: here, id: id) }
    try await isReported(here, of: third, id: 7)
    try await isReported(there, of: third, id: 8)
    for stack in [here, there, third] { await stack.close() }
  }

  #if os(Linux)
    // The system drops events that it has no room for. The watch must then look at once, not only
    // after the next event.
    @Test func `a file watch that lost signals looks at once`() async throws {
      let room = try String(
        contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
      let limit = try #require(Int(room.trimmingCharacters(in: .whitespacesAndNewlines)))
      let files = try (0..<4).map { number in
        let path = "\(file.path)-\(number)"
        try Data().write(to: URL(fileURLWithPath: path))
        return (path, try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
      }
      let (isHeld, hold) = (Lock(false), DispatchSemaphore(value: 0))
      defer { hold.signal() }
      let isReported = Lock(false)
      let holding = try #require(
        FileWatch(path: files[0].0) {
          let isFirst = isHeld.withLock { isHeld in
            defer { isHeld = true }
            return !isHeld
          }
          if isFirst { hold.wait() }
        })
      let noise = try files[1...2].map { try #require(FileWatch(path: $0.0) {}) }
      let last = try #require(
        FileWatch(path: files[3].0) { isReported.withLock { $0 = true } })
      try files[0].1.write(contentsOf: Data([1]))
      #expect(await eventually { isHeld.withLock { $0 } })
      // The two files take turns, because an event that equals the last event takes no room.
      for _ in 0...limit / 2 {
        for file in files[1...2] { try file.1.write(contentsOf: Data([1])) }
      }
      try files[3].1.write(contentsOf: Data([1]))
      hold.signal()
      #expect(await eventually { isReported.withLock { $0 } })
      for watch in [holding, last] + noise { watch.end() }
    }

    @Test func `a commit that nobody else can hear of is not signalled`() async throws {
      func signalled() throws -> Bool {
        try !Data(contentsOf: URL(fileURLWithPath: file.path + "-notify")).isEmpty
      }
      let here = try await file.open(.long)
      try await here.viewContext.waitUntilMerged(here.commit { $0.insert(Boat(id: 1)) })
      #expect(try !signalled())
      let there = try await file.open(.long)
      try await isReported(there, of: here, id: 2)
      #expect(try signalled())
      await there.close()
      await here.close()
    }
  #endif

  @Test func `a stack that opens and closes the store makes no other stack deaf`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long)
    for id in 1..<20 {
      let passing = try await file.open(.long)
      async let closing: Void = passing.close()
      try await isReported(there, of: here, id: id)
      await closing
    }
    await here.close()
    await there.close()
    let folder = file.url.deletingLastPathComponent().path
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["store.sqlite"])
  }

  // Between opening the file and watching it, a stack that closes may remove the file. The file is
  // removed fewer times than a stack tries. A stack must not take the moment between two attempts
  // of its own watch for a system without room, and must not spend all attempts on a file whose
  // removal is under way.
  @Test func `a watch that begins while others end hears`() async throws {
    let path = file.path
    var deaf = 0
    for _ in 0..<60 {
      let others = Task { @concurrent in
        for _ in 0..<50 { _ = CommitSignal(store: path) }
      }
      let signal = try #require(CommitSignal(store: path))
      if !signal.start({}) { deaf += 1 }
      signal.stop()
      await others.value
    }
    #expect(deaf == 0)
  }

  // A stack that hears of another stack's end must not create the file again while it ends itself.
  @Test func `a file for signals is removed when two watches end at once`() async throws {
    for round in 0..<200 {
      let path = "\(file.path)-\(round)"
      let signals = try (0..<2).map { _ in try #require(CommitSignal(store: path)) }
      for signal in signals { #expect(signal.start {}) }
      signals[0].stop()
      for _ in 0..<round { await Task.yield() }
      signals[1].stop()
    }
    let folder = file.url.deletingLastPathComponent().path
    #expect(
      await eventually {
        (try? FileManager.default.contentsOfDirectory(atPath: folder))?
          .contains { $0.hasSuffix("-notify") } == false
      })
  }

  @Test func `a log that is written back and removed makes nobody deaf`() async throws {
    let there = try await file.open(.long)
    for id in 1..<5 {
      let here = try await file.open(.long)
      try await isReported(there, of: here, id: id)
      await here.close()
      // The checkpoint must not wait, because the other stack has a snapshot.
      let connection = try Connection(path: file.path, access: .readWrite, busyTimeout: .zero)
      _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    await there.close()
  }

  @Test func `a commit of which nobody was told is found when its process ends`() async throws {
    let there = try await file.open(.long)
    let signal = try #require(CommitSignal(store: file.path))
    let connection = try Connection(path: file.path, .readWrite)
    try connection.execute("UPDATE strata_commit SET number = number + 1")
    // The kernel closes the files of a process that was killed.
    signal.stop()
    try await there.viewContext.waitUntilMerged(1)
    await there.close()
  }

  @Test func `a stack that does not watch finds commits with its own`() async throws {
    let here = try await file.open(.long)
    let there = try await file.open(.long) { $0.watchesOtherProcesses = false }
    try await here.commit { $0.insert(Boat(id: 1)) }
    #expect(try await there.commit { $0.insert(Boat(id: 2)) } == 2)
    try await there.viewContext.waitUntilMerged(2)
    #expect(try await there.viewContext.fetch(Boat.all).count == 2)
    await here.close()
    await there.close()
  }

  #if os(Linux)
    @Test func `a stack that is closed leaves no descriptor open`() async throws {
      let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
      for _ in 0..<20 {
        let stack = try await file.open(.long)
        #expect(try OpenFiles.paths(in: folder).contains(file.path + "-notify"))
        await stack.close()
      }
      #expect(try OpenFiles.paths(in: folder) == [])
    }
  #endif
}
