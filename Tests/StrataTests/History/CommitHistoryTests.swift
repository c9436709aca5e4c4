import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The entries of `history(since:)`, within one launch and across several launches.
@Suite(.inTurn) struct CommitHistoryTests {
  private let file: SharedStore

  init() throws { file = try SharedStore() }

  @Test func `every commit is there with old and new values, author and time`() async throws {
    let clock = ManualClock(Date(timeIntervalSinceReferenceDate: 100))
    let stack = try await file.open(.long, author: "app") { $0.now = { clock.date } }
    let gull = Boat(id: 1, name: "Gull")
    try await stack.commit { $0.insert(gull) }
    clock.advance(by: .seconds(100))
    try await stack.commit { scratch in
      scratch.author = "sync"
      scratch.update(gull) { $0.length = 7 }
      scratch.insert(Harbour(id: 2))
    }
    clock.advance(by: .seconds(100))
    try await Task { @MainActor in
      stack.viewContext.author = "view"
      stack.viewContext.delete(Boat(id: 1, name: "Gull", length: 7))
      try await stack.viewContext.save()
    }.value

    let entries = try await stack.entries()
    #expect(entries.map(\.token.commit) == [1, 2, 3])
    #expect(entries.map(\.author) == ["app", "sync", "view"])
    #expect(entries.map(\.date.timeIntervalSinceReferenceDate) == [100, 200, 300])
    #expect(entries[0].changes.changes(of: Boat.self).inserted == [gull])
    let update = try #require(entries[1].changes.changes(of: Boat.self).updated.first)
    #expect(update.before == gull && update.after.length == 7 && update.attributes == ["length"])
    #expect(entries[1].changes.changes(of: Harbour.self).inserted == [Harbour(id: 2)])
    #expect(entries[2].changes.changes(of: Boat.self).deleted.map(\.length) == [7])
    #expect(entries[2].changes.commit == 3)
    await stack.close()
  }

  @Test func `a token is good in later launches`() async throws {
    var token: HistoryToken?
    for launch in 1...4 {
      let stack = try await file.open(.long)
      let decoded = try token.map {
        try JSONDecoder().decode(HistoryToken.self, from: JSONEncoder().encode($0))
      }
      #expect(decoded == token)
      let ids = try await stack.entries(since: decoded).flatMap { entry in
        entry.changes.changes(of: Boat.self).inserted.map(\.id)
      }
      #expect(ids == (launch == 1 ? [] : [10 * launch - 10, 10 * launch - 9]))
      token = stack.historyToken
      for id in 0..<2 { try await stack.commit { $0.insert(Boat(id: 10 * launch + id)) } }
      #expect(stack.historyToken > stack.historyToken(at: 0))
      await stack.close()
    }
  }

  @Test func `a history of many pages has every commit once`() async throws {
    let stack = try await file.open(.long)
    for id in 1...700 { try await stack.commit { $0.insert(Boat(id: id)) } }
    #expect(try await stack.commits() == Array(1...700))
    #expect(try await stack.commits(since: stack.historyToken(at: 444)) == Array(445...700))
    #expect(try await stack.commits(since: stack.historyToken) == [])
    await stack.close()
  }

  @Test func `a save that changes nothing or fails leaves no entry`() async throws {
    let stack = try await file.open(.long)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    try await stack.commit { $0.upsert(Boat(id: 1)) }
    #expect(await failure { try await stack.commit { $0.insert(Boat(id: 1, name: "x")) } } != nil)
    try await stack.commit { $0.insert(Boat(id: 2)) }
    #expect(try await stack.commits() == [1, 2])
    await stack.close()
  }

  @Test func `a commit of many parts comes back whole`() async throws {
    let stack = try await file.open(.long)
    let name = String(repeating: "x", count: 500)
    let boats = (0..<3_000).map { Boat(id: $0, name: name) }
    try await stack.commit { scratch in boats.forEach(scratch.insert) }
    try await stack.commit { $0.delete(boats[7]) }
    #expect(try await stack.rows("SELECT count(*) > 3 FROM strata_history_part") == ["1"])
    let entries = try await stack.entries()
    #expect(entries.count == 2 && entries[0].changes.changes(of: Boat.self).inserted == boats)
    await stack.close()
  }

  @Test func `a token of another store is refused`() async throws {
    let other = try SharedStore()
    let stack = try await file.open(.long)
    let stranger = try await other.open(.long)
    let error = await failure { try await stack.commits(since: stranger.historyToken) }
    #expect(error?.code == .wrongStore)
    await stranger.close()
    await stack.close()
  }

  @Test func `commits that were not recorded expire the tokens before them`() async throws {
    var stack = try await file.open(.long)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let token = stack.historyToken
    await stack.close()
    stack = try await file.open()
    try await stack.commit { $0.insert(Boat(id: 2)) }
    #expect(await failure { try await stack.commits(since: token) }?.code == .historyExpired)
    #expect(try await stack.commits() == [])
    await stack.close()
    stack = try await file.open(.long)
    let later = stack.historyToken
    try await stack.commit { $0.insert(Boat(id: 3)) }
    #expect(await failure { try await stack.commits(since: token) }?.code == .historyExpired)
    #expect(try await stack.commits(since: later) == [3])
    #expect(try await stack.commits() == [3])
    let beyond = stack.historyToken(at: 9)
    #expect(await failure { try await stack.commits(since: beyond) }?.code == .historyExpired)
    await stack.close()
  }

  @Test func `an entry of another layout tells to read again`() async throws {
    let stack = try await file.open(.long)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    try await stack.commit { $0.insert(Harbour(id: 1)) }
    let connection = try Connection(path: await stack.path, .readWrite)
    // The statement changes a byte in the hash of the columns, behind the version and the length of
    // the name.
    try connection.execute(
      "UPDATE strata_history SET changes = CAST(substr(changes, 1, 2) || x'00' || "
        + "substr(changes, 4) AS BLOB) WHERE number = 1")
    let entries = try await stack.entries()
    #expect(entries.count == 2)
    #expect(entries[0].changes.changes(of: Boat.self).isReset)
    #expect(entries[0].changes.changes(of: Boat.self).inserted == [])
    #expect(entries[1].changes.changes(of: Harbour.self).inserted.count == 1)
    await stack.close()
  }

  @Test func `an iteration ends with the commit that was newest when it began`() async throws {
    let stack = try await file.open(.long)
    for id in 1...3 { try await stack.commit { $0.insert(Boat(id: id)) } }
    var iterator = stack.history().makeAsyncIterator()
    #expect(try await iterator.next()?.token.commit == 1)
    try await stack.commit { $0.insert(Boat(id: 4)) }
    #expect(try await iterator.next()?.token.commit == 2)
    #expect(try await iterator.next()?.token.commit == 3)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
    await stack.close()
  }

  @Test func `cancelling and closing end an iteration with an error`() async throws {
    let stack = try await file.open(.long)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let reading = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure { try await stack.commits() }
    }
    reading.cancel()
    #expect(await reading.value?.code == .cancelled)
    await stack.close()
    #expect(await failure { try await stack.commits() }?.code == .closed)
  }

  // A suspension, or a restart of the log, takes the iteration's snapshot. The iteration must not
  // fail.
  @Test func `a suspension is not seen by an iteration`() async throws {
    let stack = try await file.open(.long)
    for id in 0..<600 { try await stack.commit { $0.insert(Boat(id: id)) } }
    let token = stack.historyToken(at: 5)
    var iterator = stack.history(since: token).makeAsyncIterator()
    var numbers: [Int64] = []
    while let entry = try await iterator.next() {
      numbers.append(entry.token.commit)
      if numbers.count == 100 {
        await stack.suspend()
        try await stack.resume()
        try await stack.commit { $0.insert(Boat(id: 1000)) }
      }
    }
    #expect(numbers == Array(6...600))
    await stack.close()
  }

  @Test func `an iteration whose rest was pruned while it was suspended says so`() async throws {
    let stack = try await file.open(.long)
    for id in 0..<600 { try await stack.commit { $0.insert(Boat(id: id)) } }
    var iterator = stack.history().makeAsyncIterator()
    _ = try await iterator.next()
    await stack.suspend()
    do {
      let connection = try Connection(path: file.path, .readWrite)
      try connection.execute("DELETE FROM strata_history WHERE number < 500")
    }
    try await stack.resume()
    var last: Int64 = 1
    let error = await failure {
      while let entry = try await iterator.next() { last = entry.token.commit }
    }
    #expect(error?.code == .historyExpired && last < 500)
    await stack.close()
  }

  // For a query that asks for both bounds at once, SQLite would scan the whole history at every
  // start of an iteration.
  @Test func `the bounds of the history are looked up`() async throws {
    let stack = try await file.open(.long)
    try await stack.commit { $0.insert(Boat(id: 1)) }
    let plan = try await stack.rows("EXPLAIN QUERY PLAN \(HistoryReader.bounds.text)")
    #expect(
      plan.contains { $0.contains("SEARCH") } && !plan.contains { $0.contains("SCAN strata") })
    await stack.close()
  }

  // SQLite does not notice rows that are out of order, and a range of their numbers would trap.
  @Test func `a history that is out of order is a damaged one`() async throws {
    var stack = try await file.open(.long)
    for id in 1...3 { try await stack.commit { $0.insert(Boat(id: id)) } }
    let place = try await stack.rows(
      "SELECT (rootpage - 1) * page_size FROM sqlite_schema, pragma_page_size "
        + "WHERE name = 'strata_history'")
    await stack.close()
    var bytes = try Data(contentsOf: file.url)
    // A leaf page begins with its header. The positions of its rows follow, two bytes each.
    let page = try #require(place.first.flatMap { Int($0) })
    #expect(bytes[page] == 0x0D && bytes[page + 4] == 3)
    for byte in [page + 8, page + 9] { bytes.swapAt(byte, byte + 4) }
    try bytes.write(to: file.url)
    stack = try await file.open(.long)
    #expect(await failure { try await stack.entries() }?.code == .notADatabase)
    let token = stack.historyToken(at: 1)
    #expect(await failure { try await stack.entries(since: token) }?.code == .notADatabase)
    await stack.close()
  }
}
