import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

@Suite(.inTurn) struct FreshnessTests {
  private let time = ManualClock()
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  private func stack() async throws -> Stack { try await folder.stack(time.stackOptions) }

  @Test func `a query or feed that was never imported is stale`() async throws {
    let stack = try await stack()
    #expect(try await stack.lastImported(Boat.all) == nil)
    #expect(try await stack.lastImported(.feed("boats")) == nil)
    #expect(try await stack.isStale(Boat.all, olderThan: .seconds(1_000_000)))
    await stack.close()
  }

  @Test func `a mark is written by the save that it belongs to`() async throws {
    let stack = try await stack()
    time.set(100)
    let scratch = stack.makeScratch()
    scratch.upsert(Boat(id: 1))
    try scratch.markFresh(Boat.all)
    try scratch.markFresh(.feed("boats"))
    #expect(try await stack.lastImported(Boat.all) == nil)
    try await scratch.save()
    #expect(try await stack.lastImported(Boat.all) == time.date)
    #expect(try await stack.lastImported(.feed("boats")) == time.date)
    // A later save marks nothing.
    time.set(200)
    scratch.upsert(Boat(id: 2))
    try await scratch.save()
    #expect(
      try await stack.lastImported(Boat.all) == Date(timeIntervalSinceReferenceDate: 100))
    await stack.close()
  }

  @Test func `a save that fails marks nothing, and the mark waits for the next one`() async throws {
    let stack = try await stack()
    try await stack.commit { $0.insert(Boat(id: 1, name: "there")) }
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: 1, name: "again"))
    try scratch.markFresh(Boat.all)
    #expect(await failure { try await scratch.save() }?.code == .conflict)
    #expect(try await stack.lastImported(Boat.all) == nil)
    try await scratch.save(.overwrite)
    #expect(try await stack.lastImported(Boat.all) == time.date)
    try scratch.markFresh(Harbour.all)
    #expect(scratch.hasChanges)
    scratch.rollback()
    try await scratch.save()
    #expect(try await stack.lastImported(Harbour.all) == nil)
    await stack.close()
  }

  @Test func `age is told by the clock, and a clock that went back makes stale`() async throws {
    let stack = try await stack()
    time.set(1_000)
    try await stack.markFresh(Boat.all)
    let times = [
      (1_000.0, false), (1_300, false), (1_301, true), (999, true), (1e30, true), (.infinity, true),
    ]
    for (now, isStale) in times {
      time.set(now)
      #expect(try await stack.isStale(Boat.all, olderThan: .seconds(300)) == isStale, "\(now)")
    }
    await stack.close()
  }

  @Test func `queries are told by what they ask for`() async throws {
    let stack = try await stack()
    let ids = [3, 1, 2]
    let queries: [Query<Boat>] = [
      Boat.all, Boat.sorted(by: \.name), Boat.sorted(by: \.name, order: .reverse),
      Boat.all.limit(10), Boat.all.limit(10).offset(1), Boat.where { $0.length > 3 },
      Boat.where { $0.length > 4 }, Boat.where { $0.name == "3" }, Boat.where { $0.id.isIn(ids) },
      Boat.where { $0.harbour.isOpen }, Boat.where { $0.name.contains("") },
    ]
    for (number, query) in queries.enumerated() {
      time.set(Double(number))
      try await stack.markFresh(.query(query))
    }
    try await stack.markFresh(.feed("boats"))
    for (number, query) in queries.enumerated() {
      #expect(
        try await stack.lastImported(query)?.timeIntervalSinceReferenceDate == Double(number))
    }
    // The same query, built in a different way.
    let same = Boat.where { $0.id.isIn(Set(ids)) }
    #expect(try await stack.lastImported(same)?.timeIntervalSinceReferenceDate == 8)
    let error = await failure { try await stack.lastImported(Boat.where { $0.shout == "" }) }
    #expect(error?.code == .invalidQuery)
    await stack.close()
  }

  @Test func `an identity is the same on every launch`() throws {
    // A second program computed the hashes. If they change, every cache is stale once.
    let feed = CacheIdentity("feed", "boats", [])
    #expect(
      feed.hash.map { String($0, radix: 16) }.joined(separator: " ")
        == "ae b1 fb ca 3a 2d 30 c4 41 ce 90 6e 71 65 c7 f1")
    let query = CacheIdentity(
      "query", "SELECT 1", [.integer(-1), .real(0.5), .text("a"), .blob(Data([0, 1])), .null])
    #expect(
      query.hash.map { String($0, radix: 16) }.joined(separator: " ")
        == "78 75 69 5a ad cd ea 69 82 c4 6a 8d 96 ac 5a 1e")
    // Neighbouring values must not run together.
    #expect(
      CacheIdentity("query", "", [.text("a"), .text("bc")])
        != CacheIdentity("query", "", [.text("ab"), .text("c")]))
    #expect(CacheIdentity("query", "", [.text("1")]) != CacheIdentity("query", "", [.integer(1)]))
  }

  @Test func `marks outlive the stack, and can be forgotten`() async throws {
    let first = try await stack()
    time.set(5)
    try await first.markFresh(.query(Boat.all), .query(Harbour.all), .feed("boats"))
    await first.close()
    let stack = try await stack()
    #expect(try await stack.lastImported(Boat.all) == time.date)
    let texts = try await stack.rows("SELECT text FROM strata_freshness ORDER BY text")
    #expect(texts.first == "feed: boats" && texts.count == 3)
    try await stack.forgetImport(of: Boat.all)
    try await stack.forgetImport(of: .feed("unknown"))
    #expect(try await stack.lastImported(Boat.all) == nil)
    #expect(try await stack.lastImported(Harbour.all) == time.date)
    try await stack.forgetAllImports()
    #expect(try await stack.lastImported(.feed("boats")) == nil)
    await stack.close()
  }

  /// An app may import every text that its user types into a search field. Without a limit, the
  /// marks of these queries would fill the store.
  @Test func `the oldest marks go when there are too many`() async throws {
    await (try await stack()).close()
    do {
      let connection = try Connection(path: folder.path, .readWrite)
      try connection.execute(
        """
        WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers \
        WHERE n < \(FreshnessTable.limit - 1)) INSERT INTO strata_freshness \
        SELECT CAST(printf('%016d', n) AS BLOB), 'feed: ' || n, n FROM numbers
        """)
      // The mark comes from a clock that was set back since.
      try connection.execute(
        "INSERT INTO strata_freshness VALUES (x'00', 'feed: future', 1000000)")
    }
    let stack = try await stack()
    time.set(20_000)
    let scratch = stack.makeScratch()
    for number in 1...500 { try scratch.markFresh(.feed("new \(number)")) }
    try await scratch.save()
    let counts = try await stack.rows(
      "SELECT count(*), min(time), max(time) FROM strata_freshness")
    #expect(counts == ["10000 500.0 20000.0"])
    #expect(try await stack.lastImported(.feed("new 1")) == time.date)
    await stack.close()
  }

  @Test func `the view context reaches a commit that only marks`() async throws {
    let stack = try await stack()
    let view = await stack.viewContext
    for _ in 0..<2 {
      try await stack.markFresh(.feed("boats"))
      #expect(try await view.fetch(Boat.all) == [])
      try await stack.withScratch { try $0.markFresh(Boat.all) }
    }
    #expect(await view.commit == 4)
    await stack.close()
  }

  @Test func `marking tells nobody, and passes for nobody else's commit`() async throws {
    let stack = try await stack()
    var changes = stack.changes.makeAsyncIterator()
    try await stack.markFresh(.feed("boats"))
    try await stack.forgetAllImports()
    let commit = try await stack.commit { $0.insert(Boat(id: 1)) }
    #expect(commit == 3)
    let first = await changes.next()
    #expect(first?.commit == 3 && first?.changes(of: Boat.self).inserted.map(\.id) == [1])
    await stack.close()
  }

  @Test func `another process's mark is seen, and resets nothing`() async throws {
    var options = time.stackOptions
    options.history = .keep(bytes: 1_000_000)
    let stack = try await folder.stack(options)
    let other = try await folder.stack(options)
    var changes = stack.changes.makeAsyncIterator()
    try await other.markFresh(.feed("boats"))
    #expect(try await stack.lastImported(.feed("boats")) == time.date)
    let commit = try await stack.commit { $0.insert(Boat(id: 1)) }
    #expect(commit == 2)
    #expect(try await stack.viewContext.fetch(Boat.all).map(\.id) == [1])
    try await other.forgetAllImports()
    #expect(try await stack.lastImported(.feed("boats")) == nil)
    #expect(try await stack.viewContext.fetch(Boat.all).map(\.id) == [1])
    let first = await changes.next()?.changes(of: Boat.self)
    #expect(first?.isReset == false && first?.inserted.map(\.id) == [1])
    await other.close()
    await stack.close()
  }
}

extension Boat {
  /// A property that is no attribute.
  fileprivate var shout: String { name.uppercased() }
}
