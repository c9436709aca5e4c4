import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// Stores that cannot be read, but can be fetched again.
@Suite(.inTurn) struct RebuildingTests {
  private let folder: StoreFolder
  private let time = ManualClock()
  private let boat = Boat(id: 1, name: "Gull")

  init() throws { folder = try StoreFolder() }

  private func options(_ rule: UnreadableStore, version: Int = 1) -> Stack.Options {
    var options = time.stackOptions
    options.ifUnreadable = rule
    options.schemaVersion = version
    options.busyTimeout = .milliseconds(1)
    return options
  }

  private func makeStore(version: Int = 1) async throws {
    let stack = try await folder.stack(options(.fail, version: version))
    try await stack.commit { $0.insert(boat) }
    await stack.close()
  }

  private func damage(_ range: Range<Int>? = nil) throws {
    var data = try Data(contentsOf: folder.url)
    for index in range ?? 0..<100 { data[index] = 0x5A }
    try data.write(to: folder.url)
  }

  @Test func `a damaged store makes room for a new one, and is kept`() async throws {
    try await makeStore()
    try damage()
    let broken = try Data(contentsOf: folder.url)
    #expect(await failure { try await folder.stack(options(.fail)) }?.code == .notADatabase)
    #expect(try Data(contentsOf: folder.url) == broken)
    time.set(10)
    let stack = try await folder.stack(options(.rebuild()))
    let event = try #require(stack.setAside)
    #expect(event.error.code == .notADatabase && event.date == time.date)
    #expect(event.url?.lastPathComponent == "store.sqlite.unreadable-2001-01-01T00.00.10Z")
    #expect(try event.url.map { try Data(contentsOf: $0) } == broken)
    #expect(try await stack.fetch(Boat.all) == [])
    try await stack.commit { $0.insert(boat) }
    await stack.close()
    let again = try await folder.stack(options(.rebuild()))
    #expect(again.setAside == nil)
    #expect(try await again.fetch(Boat.all) == [boat])
    await again.close()
  }

  @Test func `a log goes with its store and never meets the new one`() async throws {
    try await makeStore()
    do {
      // A process that is killed leaves a store with a log.
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("UPDATE boats SET length = 3")
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder.path + suffix, toPath: folder.path + "-killed" + suffix)
      }
    }
    let url = URL(fileURLWithPath: folder.path + "-killed")
    let stack = try await Stack.open(Article.self, at: url, options: options(.rebuild()))
    let aside = try #require(stack.setAside?.url)
    #expect(try await stack.fetch(Article.all) == [])
    try await stack.commit { $0.insert(Article(1)) }
    #expect(try await stack.fetch(Article.all) == [Article(1)])
    await stack.close()
    let before = try Connection(path: aside.path)
    #expect(try before.integer("SELECT length FROM boats") == 3)
  }

  /// A stack that has the file open would go on saving into the file that was set aside, and its
  /// saves would be acknowledged. Its new readers would open the new store.
  @Test(arguments: [UnreadableStore.rebuild(), .rebuild(keeping: 0)])
  func `a store that somebody else has open is not moved`(rule: UnreadableStore) async throws {
    let other = try await folder.stack(options(.fail))
    try await other.commit { $0.insert(boat) }
    let error = await failure {
      try await Stack.open(Article.self, at: folder.url, options: options(rule))
    }
    #expect(error?.code == .busy)
    #expect(error?.message.contains(folder.path) == true)
    #expect(error?.message.contains("somebody else has it open") == true)
    #expect(try !folder.names.contains { $0.contains("unreadable") })
    // A reader alone counts, too. The check has released no lock of the other stack.
    try await other.commit { $0.insert(Boat(id: 2)) }
    #expect(try await other.fetch(Boat.all).map(\.id) == [1, 2])
    let again = await failure {
      try await Stack.open(Article.self, at: folder.url, options: options(rule))
    }
    #expect(again?.code == .busy)
    await other.close()
    let stack = try await Stack.open(Article.self, at: folder.url, options: options(rule))
    #expect(stack.setAside != nil)
    await stack.close()
  }

  /// SQL cannot find out whether a damaged file is open elsewhere.
  @Test func `a damaged store that somebody else has open is not moved`() async throws {
    try await makeStore()
    var reader: Connection? = try Connection(path: folder.path)
    #expect(try reader?.integer("SELECT count(*) FROM boats") == 1)
    let handle = try FileHandle(forUpdating: folder.url)
    try handle.write(contentsOf: Data(repeating: 0x5A, count: 100))
    // The handle stays open. Closing it would release the reader's lock, which is this process's.
    let error = await failure { try await folder.stack(options(.rebuild())) }
    #expect(error?.code == .busy)
    reader = nil
    try handle.close()
    let stack = try await folder.stack(options(.rebuild()))
    #expect(stack.setAside?.error.code == .notADatabase)
    await stack.close()
  }

  /// Two processes may meet a damaged store. The first process sets it aside. The second process
  /// must not do so with the new store.
  @Test func `a readable store in place of the damaged one is not moved`() async throws {
    try await makeStore()
    let error = StoreError(.notADatabase, "", advice: "")
    let move = SetAside(folder.path, .unreadable)
    guard case .isAnother = try move.move(at: time.date, keeping: 1, if: { false }, after: error)
    else {
      Issue.record("moved")
      return
    }
    #expect(try folder.names == ["store.sqlite"])
  }

  @Test func `a connection knows when its file was moved`() async throws {
    try await makeStore()
    let connection = try Connection(path: folder.path, .readWrite)
    #expect(!connection.hasMoved)
    try folder.move(to: "elsewhere")
    #expect(connection.hasMoved)
    try Data().write(to: folder.url)
    #expect(connection.hasMoved)
  }

  @Test func `a store with other tables makes room, and opens again with its own model`()
    async throws
  {
    try await makeStore()
    var other = Stack.Options()
    other.ifUnreadable = .rebuild()
    let stack = try await Stack.open(Article.self, at: folder.url, options: other)
    let event = try #require(stack.setAside)
    #expect(event.error.code == .schemaMismatch)
    await stack.close()
    let url = try #require(event.url)
    let before = try await Stack.open(Boat.self, Harbour.self, at: url)
    #expect(try await before.fetch(Boat.all) == [boat])
    await before.close()
  }

  @Test func `the newest of the files set aside are kept`() async throws {
    for number in 1...4 {
      try await makeStore()
      try damage()
      time.set(Double(number))
      await (try await folder.stack(options(.rebuild(keeping: 2)))).close()
    }
    let names = try folder.names.filter { $0.contains("unreadable") }
    #expect(
      names == [3, 4].map { "store.sqlite.unreadable-2001-01-01T00.00.0\($0)Z" })
    // Two files are set aside in one second, and the second file is the newer.
    try damage()
    let stack = try await folder.stack(options(.rebuild(keeping: 1)))
    #expect(
      stack.setAside?.url?.lastPathComponent == "store.sqlite.unreadable-2001-01-01T00.00.04Z-2")
    await stack.close()
    #expect(try folder.names.filter { $0.contains("unreadable") }.count == 1)
    try damage()
    // A number below zero must not trap, because the file has been moved away by then.
    let last = try await folder.stack(options(.rebuild(keeping: -1)))
    #expect(last.setAside != nil && last.setAside?.url == nil)
    await last.close()
    #expect(try folder.names == ["store.sqlite"])
  }

  @Test func `a store that others use, or newer programs, is never rebuilt`() async throws {
    try await makeStore(version: 2)
    let rule = UnreadableStore.rebuild()
    let newer = await failure { try await folder.stack(options(rule)) }
    #expect(newer?.code == .newerStore)
    do {
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("PRAGMA locking_mode = EXCLUSIVE")
      try other.execute("UPDATE boats SET length = 4")
      let locked = await failure { try await folder.stack(options(rule, version: 2)) }
      #expect(locked?.code == .busy)
    }
    #expect(try folder.names == ["store.sqlite"])
    let asked = try await folder.stack(options(.rebuild(includesNewer: true)))
    #expect(asked.setAside?.error.code == .newerStore)
    await asked.close()
  }

  @Test func `another program's database stays where it is`() async throws {
    do {
      let other = try Connection(path: folder.path, .readWrite)
      try other.execute("PRAGMA application_id = 7")
      try other.execute("CREATE TABLE other (id INTEGER)")
    }
    let error = await failure { try await folder.stack(options(.rebuild())) }
    #expect(error?.code == .notADatabase)
    #expect(try folder.names == ["store.sqlite"])
  }

  @Test func `a path that cannot be opened is not rebuilt`() async throws {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
    let error = await failure { try await folder.stack(options(.rebuild())) }
    #expect(error?.code == .cannotOpen)
    #expect(try folder.names == ["store.sqlite"])
  }

  @Test func `damage inside is found by a look at the whole file`() async throws {
    try await makeStore()
    let pages = try Data(contentsOf: folder.url).count / 4096
    // The last page belongs to some table or index. The header and the schema stay sound.
    try damage((pages - 1) * 4096..<pages * 4096)
    let blind = try await folder.stack(options(.rebuild()))
    #expect(blind.setAside == nil)
    await blind.close()
    let stack = try await folder.stack(options(.rebuild(probe: .wholeFile)))
    #expect(stack.setAside?.error.code == .notADatabase)
    #expect(stack.setAside?.error.message.contains("damaged") == true)
    await stack.close()
    let sound = try await folder.stack(options(.rebuild(probe: .wholeFile)))
    #expect(sound.setAside == nil)
    await sound.close()
  }
}
