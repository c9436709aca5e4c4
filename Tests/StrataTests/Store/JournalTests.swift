import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// A rollback journal that lies beside a store's file.
///
/// SQLite rolls back whatever journal lies there. The first opening of a store was killed before SQLite
/// had removed the journal, a backup was moved to the path, and opening it cut it to no byte.
@Suite(.inTurn) struct JournalTests {
  /// The transaction of a journal, as it was when its process was killed.
  enum Journal: CaseIterable {
    /// The first transaction of a file, which has no page before it.
    case ofCreation
    /// Pages were written before the commit, but not the first one.
    case ofChange
    /// The first page was written, too.
    case ofCommit
    /// A table was added.
    case ofSchema
    /// The file got a write-ahead log.
    case ofMode
    /// Nothing was written to the file.
    case ofNothing
  }

  enum Place: CaseIterable {
    /// The file of the journal, as the killed process left it.
    case own
    case none, empty
    case movedBackup, copiedBackup
    /// A backup without a write-ahead log.
    case plainBackup
    /// A copy of the store from before the transaction.
    case earlierCopy
    /// An open store whose process was killed, so that it has a log.
    case killedStore
  }

  struct Story: CustomStringConvertible {
    let journal: Journal
    let place: Place
    let seed: UInt64
    var description: String { "\(journal) beside \(place), seed \(seed)" }

    static let all = Journal.allCases.flatMap { journal in
      Place.allCases.map { Story(journal: journal, place: $0, seed: 1) }
    }
  }

  private let folder: StoreFolder
  private let files = FileManager.default
  private var path: String { folder.path }
  private var backup: String { folder.path + ".backup" }
  private var source: String { folder.path + ".source" }
  private var journal: String { folder.path + "-journal" }

  init() throws { folder = try StoreFolder() }

  @Test(arguments: Story.all)
  func `opening finds the rows of the file, whatever journal lies beside it`(
    _ story: Story
  ) async throws {
    var random = SeededRandom(seed: story.seed)
    let before = try await makeJournal(story.journal, &random)
    let expected = try await put(story.place, before, &random)

    let set = Lock<[URL]>([])
    var options = Stack.Options()
    options.log = { event in
      if case .logSetAside(let url) = event { set.withLock { $0.append(url) } }
    }
    let stack = try await folder.stack(options)
    #expect(try await stack.fetch(Boat.all) == expected, "\(story)")
    try await stack.commit { $0.insert(Boat(id: 77_777)) }
    await stack.close()

    let connection = try Connection(path: path, .readWrite)
    #expect(try connection.text("PRAGMA quick_check") == "ok", "\(story)")
    let count = try connection.integer("SELECT count(*) FROM boats")
    #expect(count == Int64(expected.count + 1), "\(story)")
    #expect(!files.fileExists(atPath: journal), "\(story)")
    let urls = set.withLock(\.self)
    if story.isForeign {
      let url = try #require(urls.first, "\(story)")
      #expect(url.path.hasPrefix(path + ".replaced-") && url.path.hasSuffix("-journal"))
      #expect(files.fileExists(atPath: url.path), "\(story)")
    } else if story.isOwn {
      #expect(urls.isEmpty, "\(story)")
    }
  }

  /// The rows that the store at `source` has once its journal is rolled back, with the journal at
  /// the path of the store.
  private func makeJournal(
    _ kind: Journal, _ random: inout SeededRandom
  ) async throws -> [Boat] {
    let sql = try Connection(path: "", access: .memory, busyTimeout: .zero)
    if kind == .ofCreation {
      try sql.run("ATTACH '\(source)' AS s")
      try sql.run("PRAGMA s.synchronous = OFF; BEGIN; CREATE TABLE s.t (x)")
      try files.copyItem(atPath: source + "-journal", toPath: journal)
      try sql.run("ROLLBACK; DETACH s")
      try files.removeItem(atPath: source)
      // The mode is changed before the tables are made.
      _ = try Connection(path: source, .readWrite)
      return []
    }
    try await fill(source, "source", 0..<150 + random.below(150))
    try files.copyItem(atPath: source, toPath: source + ".earlier")
    try sql.run("ATTACH '\(source)' AS s")
    try sql.run("PRAGMA s.journal_mode = DELETE; PRAGMA s.synchronous = OFF")
    for id in 0...random.below(3) { try sql.run("UPDATE s.boats SET speed = \(id)") }
    let rows = try await rows(of: source)
    // The journal is copied once all pages are in it. The commit then writes them to the file.
    switch kind {
    case .ofCreation: break
    case .ofNothing:
      try sql.run("BEGIN; UPDATE s.boats SET name = 'lost'")
      try copyJournal(cutTo: 512)
      try sql.run("ROLLBACK")
    case .ofChange:
      try sql.run("BEGIN; UPDATE s.boats SET name = 'lost' || substr(name, 5)")
      try sql.writePages()
      try copyJournal()
      try files.copyItem(atPath: source, toPath: source + ".half")
      try sql.run("ROLLBACK")
      try replace(source, by: source + ".half")
    case .ofCommit:
      try sql.run(
        """
        BEGIN; INSERT INTO s.boats (id, name, length) \
        SELECT id + 1000, name, length FROM s.boats
        """)
      try copyJournal()
      try sql.run("COMMIT")
    case .ofSchema:
      try sql.run("BEGIN; CREATE TABLE s.more (x); UPDATE s.boats SET name = 'lost'")
      try copyJournal()
      try sql.run("COMMIT")
    case .ofMode:
      try makeJournalOfMode(sql)
    }
    return rows
  }

  /// Makes the journal of a change of the mode, which has the first page alone.
  private func makeJournalOfMode(_ sql: Connection) throws {
    // A transaction that changes the first page alone has the same journal.
    let version = try sql.integer("PRAGMA s.user_version") ?? 0
    try sql.run("BEGIN; PRAGMA s.user_version = \(version)")
    try copyJournal()
    try sql.run("ROLLBACK; DETACH s")
    _ = try Connection(path: source, .readWrite)
  }

  private func copyJournal(cutTo size: Int? = nil) throws {
    var data = try Data(contentsOf: URL(fileURLWithPath: source + "-journal"))
    if let size { data = data.prefix(size) }
    try data.write(to: URL(fileURLWithPath: journal))
  }

  private func replace(_ path: String, by other: String) throws {
    try Data(contentsOf: URL(fileURLWithPath: other)).write(to: URL(fileURLWithPath: path))
  }

  /// Puts a file beside the journal, and returns the rows that opening it has to find.
  private func put(
    _ place: Place, _ before: [Boat], _ random: inout SeededRandom
  ) async throws -> [Boat] {
    switch place {
    case .own:
      try files.copyItem(atPath: source, toPath: path)
      return before
    case .none: return []
    case .empty:
      try Data().write(to: folder.url)
      return []
    case .earlierCopy:
      guard files.fileExists(atPath: source + ".earlier") else { return [] }
      try files.copyItem(atPath: source + ".earlier", toPath: path)
      return try await rows(of: path)
    case .movedBackup, .copiedBackup, .plainBackup, .killedStore: break
    }
    try await fill(backup, "backup", 0..<400 + random.below(400))
    if place == .plainBackup {
      let connection = try Connection(path: backup, .readWrite)
      try connection.prepared("VACUUM INTO ?1", .text(backup + ".plain")).perform()
      try replace(backup, by: backup + ".plain")
    }
    switch place {
    case .movedBackup: #expect(rename(backup, path) == 0)
    case .killedStore:
      #expect(rename(backup, path) == 0)
      let hidden = journal + ".hidden"
      try files.moveItem(atPath: journal, toPath: hidden)
      let stack = try await folder.stack()
      try await stack.withScratch { $0.upsert(Boat(id: 3, name: "newest")) }
      let rows = try await stack.fetch(Boat.all)
      await stack.endAsIfKilled()
      #expect((FileStatus(path + "-wal")?.size ?? 0) > 0)
      try files.moveItem(atPath: hidden, toPath: journal)
      return rows
    default:
      try Data().write(to: folder.url)
      try replace(path, by: backup)
    }
    return try await rows(of: path)
  }

  /// Returns the rows of a store, and opens only a copy of it.
  private func rows(of path: String) async throws -> [Boat] {
    let copy = path + ".\(UUID().uuidString)"
    try files.copyItem(atPath: path, toPath: copy)
    let stack = try await Stack.open(Boat.self, Harbour.self, at: URL(fileURLWithPath: copy))
    let rows = try await stack.fetch(Boat.all)
    await stack.close()
    return rows
  }

  private func fill(_ path: String, _ name: String, _ ids: Range<Int>) async throws {
    let stack = try await Stack.open(Boat.self, Harbour.self, at: URL(fileURLWithPath: path))
    try await stack.withScratch { scratch in
      for id in ids { scratch.upsert(Boat(id: id, name: "\(name) \(id)", length: id)) }
    }
    await stack.close()
  }

  // MARK: -

  /// A file of another program was cut to no byte, too, before it was refused.
  @Test func `a file that is no store stays as it is beside a journal`() async throws {
    var random = SeededRandom(seed: 1)
    _ = try await makeJournal(.ofCreation, &random)
    for text in ["hello", String(repeating: "hello ", count: 10_000)] {
      try Data(text.utf8).write(to: folder.url)
      try files.copyItem(atPath: journal, toPath: journal + ".again")
      let error = await failure { try await folder.stack() }
      #expect(error?.code == .notADatabase)
      #expect(try Data(contentsOf: folder.url) == Data(text.utf8))
      try files.moveItem(atPath: journal + ".again", toPath: journal)
    }
  }

  @Test func `a plan reads no file beside a journal of another file`() async throws {
    var random = SeededRandom(seed: 1)
    _ = try await makeJournal(.ofCreation, &random)
    let expected = try await put(.copiedBackup, [], &random)
    let bytes = files.contents(atPath: path)
    let error = await failure { try await Stack.plan(Boat.self, Harbour.self, at: folder.url) }
    #expect(error?.code == .replaced)
    #expect(files.contents(atPath: path) == bytes && files.fileExists(atPath: journal))
    // The advice: open the store once.
    let stack = try await folder.stack()
    #expect(try await stack.fetch(Boat.all) == expected)
    await stack.close()
    let plan = try await Stack.plan(Boat.self, Harbour.self, at: folder.url)
    #expect(plan.actions.isEmpty)
  }

  @Test func `a plan does not roll back the journal of its file`() async throws {
    var random = SeededRandom(seed: 1)
    let expected = try await put(.own, makeJournal(.ofCommit, &random), &random)
    let bytes = files.contents(atPath: path)
    let error = await failure { try await Stack.plan(Boat.self, Harbour.self, at: folder.url) }
    #expect(error?.code == .cannotOpen && error?.advice.hasPrefix("open the store once") == true)
    #expect(files.contents(atPath: path) == bytes && files.fileExists(atPath: journal))
    let stack = try await folder.stack()
    #expect(try await stack.fetch(Boat.all) == expected)
    await stack.close()
  }

  /// The journal is named after the name under which the transaction began.
  @Test func `a file with a journal under another name is refused`() async throws {
    var random = SeededRandom(seed: 1)
    let expected = try await put(.own, makeJournal(.ofCommit, &random), &random)
    let other = folder.path + ".other"
    try files.linkItem(atPath: path, toPath: other)
    let error = await failure {
      try await Stack.open(Boat.self, Harbour.self, at: URL(fileURLWithPath: other))
    }
    #expect(error?.code == .cannotOpen)
    let stack = try await folder.stack()
    #expect(try await stack.fetch(Boat.all) == expected)
    await stack.close()
  }
}

extension JournalTests.Story {
  /// Whether the journal is certainly not of the file.
  fileprivate var isForeign: Bool {
    switch place {
    case .own: false
    // SQLite removes a journal without pages beside an empty file.
    case .none, .empty: journal != .ofCreation
    case .movedBackup, .copiedBackup, .plainBackup, .killedStore: true
    case .earlierCopy: journal != .ofCreation && journal != .ofNothing
    }
  }

  /// Whether the journal is of the file, or has no effect on it.
  fileprivate var isOwn: Bool {
    place == .own || (place == .none || place == .empty) && journal == .ofCreation
  }
}
