import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Copies that an open stack makes of its store.
@Suite(.inTurn) struct CopyTests {
  private let folder: StoreFolder
  private let files = FileManager.default
  private var copy: URL { folder.url(of: "copy.store") }

  init() throws { folder = try StoreFolder() }

  private func fill(_ stack: Stack, _ ids: Range<Int>) async throws {
    try await stack.withScratch { scratch in
      for id in ids {
        scratch.insert(Boat(id: id, name: String(repeating: "Gull \(id) ", count: 40)))
      }
    }
  }

  private func rows(at url: URL) async throws -> [Boat] {
    let stack = try await Stack.open(Boat.self, Harbour.self, at: url)
    let rows = try await stack.fetch(Boat.all)
    await stack.close()
    return rows
  }

  // MARK: - Contents

  @Test func `a copy is one file with the rows, the edits that wait, the history and the identity`()
    async throws
  {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(1000))
    let url = folder.url
    let stack = try await Stack.open(Parcel.self, Crate.self, at: url, options: options)
    let outbox = try await stack.outbox()
    let token = stack.historyToken
    try await stack.insert(Parcel(id: 1, name: "waits"), Crate(id: 2))
    let copied = stack.historyToken
    try await stack.copy(to: copy)
    try await stack.update(1) { $0.name = "later" }
    #expect(
      try folder.names == ["copy.store", "store.sqlite", "store.sqlite-shm", "store.sqlite-wal"])
    // The copy needs no log, so it can be read where no file can be made.
    #expect(try Data(contentsOf: copy)[18...19] == Data([1, 1]))

    let opened = try await Stack.open(Parcel.self, Crate.self, at: copy, options: options)
    #expect(try await opened.fetch(Parcel.all) == [Parcel(id: 1, name: "waits")])
    #expect(opened.store.identity == stack.store.identity)
    let requests = try await opened.outbox().requests()
    #expect(Set(requests.map(\.entity)) == ["Parcel", "Crate"])
    var commits: [HistoryToken] = []
    for try await entry in opened.history(since: token) { commits.append(entry.token) }
    #expect(commits == [copied])
    try await opened.update(1) { $0.weight = 3 }
    try await opened.copy(to: folder.url(of: "second.store"))
    await opened.close()
    let second = try await Stack.open(
      Parcel.self, Crate.self, at: folder.url(of: "second.store"), options: options)
    #expect(try await second.fetch(Parcel.all) == [Parcel(id: 1, name: "waits", weight: 3)])
    await second.close()
    _ = outbox
    await stack.close()
  }

  @Test func `a copy beside writers of two stacks is the store after one commit`() async throws {
    let (stack, other) = (try await folder.stack(), try await folder.stack())
    try await fill(stack, 0..<6000)
    let isOver = Lock(false)
    // Each commit moves a unit of length from boat to boat. Two edits that leave the same length would
    // agree, but not two speeds.
    let writers = [stack, other].map { stack in
      Task {
        var random = SystemRandomNumberGenerator()
        while !isOver.withLock(\.self) {
          _ = try? await stack.withScratch(retries: 100, waitsForViewContext: false) { scratch in
            let ids = (0..<6000).shuffled(using: &random).prefix(2)
            guard let from = try await scratch.find(Boat.self, ids[0]),
              let to = try await scratch.find(Boat.self, ids[1])
            else { return }
            let speed = Int.random(in: 1...1 << 60, using: &random)
            scratch.update(from) { ($0.length, $0.speed) = ($0.length - 1, speed) }
            scratch.update(to) { ($0.length, $0.speed) = ($0.length + 1, speed) }
          }
        }
      }
    }
    for turn in 0..<4 {
      let url = folder.url(of: "copy-\(turn)")
      let reports = Lock<[CopyProgress]>([])
      try await stack.copy(to: url) { progress in reports.withLock { $0.append(progress) } }
      let rows = try await rows(at: url)
      #expect(rows.count == 6000 && rows.reduce(0) { $0 + $1.length } == 0)
      // The work of SQLite never begins again.
      let done = reports.withLock { $0.filter { $0.phase == .copying }.map(\.done) }
      #expect(done == done.sorted() && done.count > 1 && Set(done).count == done.count)
      let last = reports.withLock(\.last)
      #expect(last?.phase == .checking && last?.done == last?.total && last?.total == done.last)
    }
    isOver.withLock { $0 = true }
    for writer in writers { await writer.value }
    #expect(try await stack.fetch(.count, of: Boat.where { $0.length != 0 }) > 0)
    await stack.close()
    await other.close()
  }

  // A copy with the session of the open store would get the pages of its log.
  @Test(arguments: [true, false])
  func `a copy that is put over its open store is noticed`(isRenamed: Bool) async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<3)
    try await stack.copy(to: copy)
    try await fill(stack, 3..<300)
    if isRenamed {
      #expect(rename(copy.path, folder.path) == 0)
    } else {
      try Data(contentsOf: copy).write(to: folder.url, options: [])
    }
    let error = await failure { try await stack.commit { $0.insert(Boat(id: 9_999)) } }
    #expect(error?.code == .replaced)
    await stack.close()
    #expect(try await rows(at: folder.url).map(\.id) == [0, 1, 2])
  }

  // MARK: - Places

  enum Place: CaseIterable, Sendable { case file, folder, store, linkToStore, log, brokenLink }

  @Test(arguments: Place.allCases)
  func `a copy replaces no file`(at place: Place) async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<3)
    var url = copy
    switch place {
    case .file: try Data("mine".utf8).write(to: copy)
    case .folder: try files.createDirectory(at: copy, withIntermediateDirectories: false)
    case .store: url = folder.url
    case .linkToStore: try files.createSymbolicLink(at: copy, withDestinationURL: folder.url)
    case .log: try Data("mine".utf8).write(to: folder.url(of: "copy.store-wal"))
    case .brokenLink:
      // The copy comes to the place to which the link leads, as a store does.
      let target = folder.url(of: "target.store")
      try files.createSymbolicLink(at: copy, withDestinationURL: target)
      try await stack.copy(to: copy)
      #expect(try await rows(at: target).count == 3)
      url = target
    }
    let names = try folder.names
    let error = await failure { try await stack.copy(to: url) }
    #expect(error?.code == .fileExists)
    #expect(try folder.names == names)
    if place == .file { #expect(try Data(contentsOf: copy) == Data("mine".utf8)) }
    #expect(try await stack.fetch(Boat.all).count == 3)
    await stack.close()
  }

  @Test func `two copies to one place give one file`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<500)
    async let first = failure { try await stack.copy(to: copy) }
    async let second = failure { try await stack.copy(to: copy) }
    async let third = failure { try await stack.copy(to: folder.url(of: "other.store")) }
    let errors = await [first, second].compactMap { $0?.code }
    #expect(errors == [.fileExists])
    #expect(await third == nil)
    #expect(try await rows(at: copy).count == 500)
    #expect(try await rows(at: folder.url(of: "other.store")).count == 500)
    #expect(try !folder.names.contains { $0.contains("unfinished") })
    await stack.close()
  }

  @Test func `an unfinished copy of a process that has ended is removed`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<3)
    let names = ["left", "left-journal", "living", "young"].map { ".copy.store.unfinished-\($0)" }
    for name in names {
      try Data("bytes".utf8).write(to: folder.url(of: name))
      if name != names[3] { try folder.makeOld(name) }
    }
    let living = try DatabaseFile(path: folder.url(of: names[2]).path)
    try living.lock()
    try await stack.copy(to: copy)
    #expect(try folder.names.filter { $0.contains("unfinished") } == names.suffix(2))
    withExtendedLifetime(living) {}
    await stack.close()
  }

  // MARK: - Ends

  @Test(arguments: [3, 3000])
  func `a cancelled copy leaves nothing`(rows: Int) async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<rows)
    let names = try folder.names
    let task = Lock<Task<Void, any Error>?>(nil)
    let copying = Task {
      try await stack.copy(to: copy) { progress in
        task.withLock(\.self)?.cancel()
      }
    }
    task.withLock { $0 = copying }
    // The first report may come before the task is known.
    let code = await failure { try await copying.value }?.code
    #expect(code == .cancelled || (code == nil && rows == 3))
    if code != nil { #expect(try folder.names == names) }
    await stack.close()
  }

  @Test func `a copy waits for the resumption, and a suspension begins it anew`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<1000)
    let starts = Lock(0)
    let resumption = Lock<Task<Void, any Error>?>(nil)
    let pool = await stack.store.writer.pool
    try await stack.copy(to: copy) { progress in
      guard progress.phase == .copying, progress.done < 1 << 21 else { return }
      if starts.withLock({
        $0 += 1; return $0
      }) > 1 {
        return
      }
      let suspension = Task {
        await stack.suspend()
        #expect((try? folder.names) == ["store.sqlite"])
        try await stack.resume()
      }
      resumption.withLock { $0 = suspension }
      // The reader's own thread may wait: the suspension ends its snapshot from elsewhere.
      while !pool.load.snapshots.isEmpty { sched_yield() }
    }
    try await resumption.withLock(\.self)?.value
    #expect(starts.withLock(\.self) > 1)
    #expect(try await rows(at: copy).count == 1000)

    await stack.suspend()
    let second = folder.url(of: "second.store")
    let waiting = Task { try await stack.copy(to: second) }
    await others()
    #expect(try folder.names == ["copy.store", "store.sqlite"])
    try await stack.resume()
    try await waiting.value
    #expect(try await rows(at: second).count == 1000)
    await stack.close()
    let error = await failure { try await stack.copy(to: folder.url(of: "third.store")) }
    #expect(error?.code == .closed)
  }

  @Test func `closing the stack ends a copy`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<1000)
    let pool = await stack.store.writer.pool
    let error = await failure {
      try await stack.copy(to: copy) { progress in
        Task { await stack.close() }
        while !pool.load.snapshots.isEmpty { sched_yield() }
      }
    }
    #expect(error?.code == .closed)
    await stack.close()
    #expect(try folder.names == ["store.sqlite"])
  }

  // MARK: - Faults

  @Test(arguments: FileCall.allCases)
  func `a failing file operation leaves no copy, and an error that says why`(
    _ call: FileCall
  ) async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<20)
    let names = try folder.names
    let plan = FaultPlan()
    let prefix = folder.url(of: ".copy.store.unfinished").path
    ObservedFileSystem.observe(prefix, with: plan)
    defer { ObservedFileSystem.endObserving(prefix, with: plan) }
    for code in FaultPlan.codes(of: call) {
      var number = 1
      while true {
        plan.arm(FaultPlan.Fault(call, number: number, code: code))
        let error = await failure { try await stack.copy(to: copy) }
        let isHit = plan.disarm() > 0
        if let error {
          #expect(isHit && error.sqliteCode != nil, "\(call) \(number)")
          #expect(!error.message.contains("unfinished"), "\(error)")
          #expect(try folder.names == names, "\(call) \(number)")
        } else {
          #expect(try await rows(at: copy).count == 20)
          try files.removeItem(at: copy)
        }
        if !isHit { break }
        number += 1
      }
    }
    await stack.close()
  }

  /// A loss of power would leave a file with the name of the copy, and without its bytes.
  @Test
  func `the bytes of copies and restored stores are on the disk before they have their names`()
    async throws
  {
    let stack = try await folder.stack()
    try await fill(stack, 0..<6000)
    let disk = SyncObserver()
    let prefixes = [".copy.store.unfinished", ".store.sqlite.unfinished"].map {
      folder.url(of: $0).path
    }
    for prefix in prefixes { ObservedFileSystem.observe(prefix, with: disk) }
    try await stack.copy(to: copy)
    await stack.close()
    try await Stack.restore(copy, to: folder.url)
    for prefix in prefixes { ObservedFileSystem.endObserving(prefix, with: disk) }
    let states = disk.states.withLock(\.self)
    #expect(states.count == 2 && states.values.allSatisfy { $0 }, "\(states)")
    #expect(try await rows(at: folder.url).count == 6000)
  }

  @Test func `damage of the store is an error of the copy`() async throws {
    let stack = try await folder.stack()
    try await fill(stack, 0..<2000)
    await stack.close()
    var bytes = try Data(contentsOf: folder.url)
    let page = bytes.count / 4096 / 2 * 4096
    bytes.replaceSubrange(page..<page + 4096, with: Data(repeating: 7, count: 4096))
    try bytes.write(to: folder.url)
    let damaged = try await folder.stack()
    let error = await failure { try await damaged.copy(to: copy) }
    #expect(error?.code == .notADatabase)
    #expect(try !folder.names.contains { $0.contains("copy.store") })
    await damaged.close()
  }
}

/// Knows for each database file whether all its bytes are on the disk.
private final class SyncObserver: FileObserver {
  let states = Lock<[String: Bool]>([:])

  func failure(of call: FileCall, _ file: String) -> Int32? { nil }
  func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer) {
    if !file.hasSuffix("-journal") { states.withLock { $0[file] = false } }
  }
  func didSync(_ file: String, isFull: Bool) {
    if isFull { states.withLock { if $0[file] != nil { $0[file] = true } } }
  }
}
