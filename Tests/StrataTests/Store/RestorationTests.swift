import Foundation
import StrataFaults
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Copies that are put in the place of a store by `Stack.restore`.
@Suite(.inTurn) struct RestorationTests {
  private let folder: StoreFolder
  private let files = FileManager.default
  private var copy: URL { folder.url(of: "copy.store") }

  init() throws { folder = try StoreFolder() }

  private func restoration(
    of copy: URL? = nil, didStep: @escaping @Sendable () -> Void = {}
  ) -> StoreRestoration {
    StoreRestoration(
      copy: (copy ?? self.copy).path, target: folder.path, timeout: .milliseconds(5),
      meter: CopyMeter(handler: nil), flag: CancellationFlag(), didStep: didStep)
  }

  private func fill(_ stack: Stack, _ name: String, _ ids: Range<Int>) async throws {
    try await stack.withScratch { scratch in
      for id in ids { scratch.upsert(Boat(id: id, name: "\(name) \(id)")) }
    }
  }

  private func names(at url: URL) async throws -> [String] {
    let stack = try await Stack.open(Boat.self, Harbour.self, at: url)
    let names = try await stack.fetch(Boat.all).map(\.name)
    await stack.close()
    return names
  }

  private let early = (0..<3).map { "early \($0)" }
  private let late = (0..<5).map { "late \($0)" }

  /// Makes a store with late rows, and a copy of it with early rows.
  private func makeStore(_ options: Stack.Options = .init()) async throws -> Stack {
    let stack = try await folder.stack(options)
    try await fill(stack, "early", 0..<3)
    try await stack.copy(to: copy)
    try await fill(stack, "late", 0..<5)
    return stack
  }

  // MARK: - Contents

  @Test func `a restored store has the rows of the copy, which stays as it is`() async throws {
    let stack = try await makeStore()
    await stack.close()
    let bytes = try Data(contentsOf: copy)
    try await Stack.restore(copy, to: folder.url)
    #expect(try folder.names == ["copy.store", "store.sqlite"])
    #expect(try await names(at: folder.url) == early)
    #expect(try Data(contentsOf: copy) == bytes)
    // A copy can be restored twice, and to a place without a store.
    try await Stack.restore(copy, to: folder.url)
    let new = folder.url(of: "new.store")
    try await Stack.restore(copy, to: new)
    #expect(try await names(at: new) == early)
    let again = try await folder.stack()
    try await fill(again, "later", 0..<1)
    await again.close()
    #expect(try await names(at: folder.url) == ["later 0", "early 1", "early 2"])
  }

  // Numbers of commits that the earlier store gave would be given again, with other contents.
  @Test func `history tokens from before are expired for good, and edits wait as in the copy`()
    async throws
  {
    var options = Stack.Options()
    options.history = .keep(for: .seconds(1000))
    let stack = try await Stack.open(Parcel.self, Crate.self, at: folder.url, options: options)
    _ = try await stack.outbox()
    let first = stack.historyToken
    try await stack.insert(Parcel(id: 1, name: "waits"))
    let requests = try await stack.outbox().requests().map(\.id)
    try await stack.copy(to: copy)
    let copied = stack.historyToken
    for weight in 1...5 { try await stack.update(1) { $0.weight = weight } }
    let last = stack.historyToken
    await stack.close()
    try await Stack.restore(copy, to: folder.url)

    let again = try await Stack.open(Parcel.self, Crate.self, at: folder.url, options: options)
    #expect(try await again.fetch(Parcel.all) == [Parcel(id: 1, name: "waits")])
    #expect(try await again.outbox().requests().map(\.id) == requests)
    let new = again.historyToken
    for turn in 0..<8 {
      for token in [first, copied, last] {
        var commits = again.history(since: token).makeAsyncIterator()
        #expect(await failure { try await commits.next() }?.code == .historyExpired, "\(turn)")
      }
      try await again.update(1) { $0.weight = turn + 1 }
    }
    var count = 0
    for try await _ in again.history(since: new) { count += 1 }
    #expect(count == 8)
    await again.close()
  }

  // MARK: - Open stacks

  @Test func `a store that is open anywhere is refused`() async throws {
    let stack = try await makeStore()
    #expect(await failure { try await Stack.restore(restoration()) }?.code == .busy)
    #expect(try await stack.fetch(Boat.all).map(\.name) == late)
    await stack.close()
    // The connection of another program.
    var connection: Connection? = try Connection(path: folder.path, .existing)
    #expect(try connection?.integer("SELECT count(*) FROM boats") == 5)
    #expect(await failure { try await Stack.restore(restoration()) }?.code == .busy)
    connection = nil
    let opened = try await Stack.open(Boat.self, Harbour.self, at: copy)
    let error = await failure { try await Stack.restore(restoration()) }
    #expect(error?.code == .busy && error?.message.hasPrefix("the copy is open") == true)
    await opened.close()
    #expect(try await names(at: folder.url) == late)
    try await Stack.restore(restoration())
    #expect(try await names(at: folder.url) == early)
  }

  @Test func `a stack that is opened during a restoration waits for its end`() async throws {
    await (try await makeStore()).close()
    let opening = Lock<Task<[String], any Error>?>(nil)
    let restoration = restoration {
      opening.withLock { task in
        if task == nil { task = Task { try await names(at: folder.url) } }
      }
    }
    try await Stack.restore(restoration)
    #expect(try await opening.withLock(\.self)?.value == early)
  }

  @Test @MainActor func `a suspended stack shows the rows of the copy after its resumption`()
    async throws
  {
    let stack = try await makeStore()
    let live = try await stack.viewContext.loaded(Boat.sorted(by: \.id))
    let scratch = stack.makeScratch()
    #expect(try await scratch.fetch(Boat.all).map(\.name) == late)
    let changes = stack.changes
    let reset = Task {
      for await set in changes where set.changes(of: Boat.self).isReset { return true }
      return false
    }
    await stack.suspend()
    stack.viewContext.insert(Boat(id: 9, name: "edit"))
    try await Stack.restore(copy, to: folder.url)
    #expect(live.elements.map(\.name) == late + ["edit"])
    try await stack.resume()
    #expect(live.elements.map(\.name) == early + ["edit"])
    #expect(try await scratch.fetch(Boat.all).map(\.name) == early)
    #expect(await reset.value)
    try await stack.viewContext.save()
    #expect(try await stack.fetch(Boat.all).map(\.name) == early + ["edit"])
    await stack.close()
    #expect(try await names(at: folder.url) == early + ["edit"])
  }

  @Test func `a suspended stack refuses a copy of another store`() async throws {
    let stack = try await makeStore()
    let url = folder.url(of: "other.store")
    let other = try await Stack.open(Boat.self, Harbour.self, at: url)
    try await fill(other, "other", 0..<1)
    await other.close()
    await stack.suspend()
    try await Stack.restore(url, to: folder.url)
    #expect(await failure { try await stack.resume() }?.code == .replaced)
    await stack.close()
    #expect(try await names(at: folder.url) == ["other 0"])
  }

  // MARK: - Files beside

  @Test func `the log of a killed process is not written over the restored store`() async throws {
    let stack = try await makeStore()
    await stack.endAsIfKilled()
    #expect(try folder.names.contains("store.sqlite-wal"))
    try Data("journal".utf8).write(to: folder.url(of: "store.sqlite-journal"))
    try await Stack.restore(copy, to: folder.url)
    #expect(try folder.names == ["copy.store", "store.sqlite"])
    #expect(try await names(at: folder.url) == early)
  }

  @Test func `a copy with its own log has the commits in the log`() async throws {
    let stack = try await makeStore()
    let raw = folder.url(of: "raw.store")
    for suffix in ["", "-wal"] {
      try files.copyItem(atPath: folder.path + suffix, toPath: raw.path + suffix)
    }
    try await fill(stack, "latest", 0..<9)
    await stack.close()
    let names = try folder.names
    try await Stack.restore(raw, to: folder.url)
    #expect(try folder.names == names)
    #expect(try await self.names(at: folder.url) == late)
    // A log of another file.
    try files.removeItem(at: raw)
    try files.copyItem(at: copy, to: raw)
    #expect(await failure { try await Stack.restore(raw, to: folder.url) }?.code == .replaced)
    #expect(try await self.names(at: folder.url) == late)
  }

  @Test func `the name of a link leads to the store`() async throws {
    await (try await makeStore()).close()
    let link = folder.url(of: "link.store")
    try files.createSymbolicLink(at: link, withDestinationURL: folder.url)
    try await Stack.restore(copy, to: link)
    #expect(try await names(at: folder.url) == early)
    #expect(try files.destinationOfSymbolicLink(atPath: link.path) == folder.path)
    let error = await failure { try await Stack.restore(link, to: folder.url) }
    #expect(error?.code == .cannotOpen)
    #expect(try await names(at: folder.url) == early)
  }

  // MARK: - Refusals

  enum Flaw: CaseIterable, Sendable {
    case damaged, short, empty, noDatabase, otherProgram, newerFormat, olderFormat, missing
  }

  @Test(arguments: Flaw.allCases)
  func `a copy that is no whole store is refused`(_ flaw: Flaw) async throws {
    let stack = try await makeStore()
    try await fill(stack, "many", 100..<1000)
    try files.removeItem(at: copy)
    try await stack.copy(to: copy)
    await stack.close()
    let rows = try await names(at: folder.url)
    var bytes = try Data(contentsOf: copy)
    switch flaw {
    case .damaged: bytes.replaceSubrange(40960..<45056, with: Data(repeating: 7, count: 4096))
    case .short: bytes.removeLast(bytes.count / 8192 * 4096)
    case .empty: bytes = Data()
    case .noDatabase: bytes = Data(String(repeating: "Dear Miles, ", count: 500).utf8)
    case .otherProgram: bytes.replaceSubrange(68..<72, with: Data([1, 2, 3, 4]))
    case .newerFormat: bytes[63] = UInt8(StoreFormat.version + 1)
    case .olderFormat: bytes[63] = UInt8(StoreFormat.version - 1)
    case .missing: try files.removeItem(at: copy)
    }
    if flaw != .missing { try bytes.write(to: copy) }
    let error = await failure { try await Stack.restore(copy, to: folder.url) }
    switch flaw {
    case .damaged, .short, .empty, .noDatabase, .otherProgram: #expect(error?.code == .notADatabase)
    case .newerFormat: #expect(error?.code == .newerStore)
    case .olderFormat: #expect(error?.code == .schemaMismatch)
    case .missing: #expect(error?.code == .cannotOpen)
    }
    #expect(error?.message.contains(copy.path) == true, "\(String(describing: error))")
    #expect(try !folder.names.contains { $0.contains("unfinished") })
    #expect(try await names(at: folder.url) == rows)
  }

  @Test func `a damaged store is replaced, and the database of another program is not`()
    async throws
  {
    await (try await makeStore()).close()
    try Data(String(repeating: "Dear Miles, ", count: 500).utf8).write(to: folder.url)
    try await Stack.restore(copy, to: folder.url)
    #expect(try await names(at: folder.url) == early)
    let other = folder.url(of: "other.db")
    var connection: Connection? = try Connection(path: other.path, .readWrite)
    try connection?.run("CREATE TABLE t (a)")
    connection = nil
    let bytes = try Data(contentsOf: other)
    #expect(await failure { try await Stack.restore(copy, to: other) }?.code == .notADatabase)
    #expect(try Data(contentsOf: other) == bytes)
    let missing = folder.url(of: "missing/store.sqlite")
    let error = await failure { try await Stack.restore(copy, to: missing) }
    #expect(error?.code == .cannotOpen && error?.message.contains("does not exist") == true)
  }

  @Test func `a cancelled restoration leaves the earlier store`() async throws {
    await (try await makeStore()).close()
    let names = try folder.names
    let task = Lock<Task<Void, any Error>?>(nil)
    let gate = TestGate()
    let restoring = Task {
      await gate.pass()
      try await Stack.restore(copy, to: folder.url) { _ in task.withLock(\.self)?.cancel() }
    }
    task.withLock { $0 = restoring }
    await gate.open()
    #expect(await failure { try await restoring.value }?.code == .cancelled)
    #expect(try folder.names == names)
    #expect(try await self.names(at: folder.url) == late)
  }

  // MARK: - Faults

  /// The files as they are after each step are those that a kill at that time leaves.
  @Test(arguments: [true, false])
  func `each step leaves a whole store`(isKilled: Bool) async throws {
    let stack = try await makeStore()
    if isKilled { await stack.endAsIfKilled() } else { await stack.close() }
    let images = Lock<[URL]>([])
    let restoration = restoration {
      let image = folder.url(of: "image-\(images.withLock(\.count))")
      try? files.createDirectory(at: image, withIntermediateDirectories: false)
      for name in (try? folder.names) ?? [] where !name.hasPrefix("image") {
        try? files.copyItem(at: folder.url(of: name), to: image.appendingPathComponent(name))
      }
      images.withLock { $0.append(image) }
    }
    try await Stack.restore(restoration)
    let all = images.withLock(\.self)
    #expect(all.count == 5)
    for (number, image) in all.enumerated() {
      let url = image.appendingPathComponent("store.sqlite")
      #expect(try await names(at: url) == (number < 3 ? late : early), "\(number)")
      for name in try files.contentsOfDirectory(atPath: image.path) {
        try folder.makeOld("\(image.lastPathComponent)/\(name)")
      }
      // A later restoration removes the files that the killed one has left.
      try await Stack.restore(copy, to: url)
      #expect(try await names(at: url) == early)
      let left = try files.contentsOfDirectory(atPath: image.path)
      #expect(!left.contains { $0.contains("unfinished") }, "\(left)")
    }
  }

  @Test(arguments: FileCall.allCases)
  func `a failing file operation leaves the earlier store or the restored one`(
    _ call: FileCall
  ) async throws {
    await (try await makeStore()).close()
    let earlier = try Data(contentsOf: folder.url)
    let plan = FaultPlan()
    for prefix in [folder.path, folder.url(of: ".store.sqlite.unfinished").path, copy.path] {
      ObservedFileSystem.observe(prefix, with: plan)
    }
    defer {
      for prefix in [folder.path, folder.url(of: ".store.sqlite.unfinished").path, copy.path] {
        ObservedFileSystem.endObserving(prefix, with: plan)
      }
    }
    for code in FaultPlan.codes(of: call) {
      var number = 1
      while true {
        plan.arm(FaultPlan.Fault(call, number: number, code: code))
        let error = await failure { try await Stack.restore(restoration()) }
        let isHit = plan.disarm() > 0
        #expect(error == nil || isHit, "\(call) \(number): \(String(describing: error))")
        let rows = try await names(at: folder.url)
        #expect(rows == (error == nil ? early : late), "\(call) \(number)")
        #expect(try !folder.names.contains { $0.contains("unfinished") }, "\(call) \(number)")
        try earlier.write(to: folder.url)
        if !isHit { break }
        number += 1
      }
    }
  }
}
