import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// The pruning of the history, which iterations and streams must not notice.
@Suite(.inTurn) struct HistoryPruningTests {
  private let file: SharedStore

  init() throws { file = try SharedStore() }

  private func commit(_ count: Int, _ stack: Stack) async throws {
    for _ in 0..<count {
      try await stack.commit { scratch in
        scratch.upsert(Boat(id: 1, name: "\(stack.historyToken.commit)"))
      }
    }
  }

  @Test func `the history that is older than its limit is removed, in time`() async throws {
    let clock = ManualClock()
    let stack = try await file.open(.keep(for: .seconds(100))) { $0.now = { clock.date } }
    try await commit(300, stack)
    let old = stack.historyToken
    clock.advance(by: .seconds(90))
    try await commit(300, stack)
    #expect(try await stack.commits().count == 600)
    clock.advance(by: .seconds(20))
    // Each pruning removes a limited number of entries, so all old entries are gone in the end.
    try await commit(3 * HistoryLog.pruneInterval, stack)
    let kept = try await stack.commits()
    #expect(kept.first == 301 && kept.last == 792)
    #expect(try await stack.commits(since: old).count == 492)
    let older = stack.historyToken(at: old.commit - 1)
    #expect(await failure { try await stack.commits(since: older) }?.code == .historyExpired)
    await stack.close()
  }

  @Test func `the history that is larger than its limit is removed, the oldest first`() async throws
  {
    let limit = 20_000
    let stack = try await file.open(.keep(bytes: limit))
    try await commit(900, stack)
    let size = try await stack.rows("SELECT sum(length(changes) + 48) FROM strata_history")
    let kept = try #require(size.first.flatMap { Int($0) })
    #expect(kept >= limit && kept < limit + limit / 8)
    let commits = try await stack.commits()
    #expect(commits.last == 900)
    #expect(commits == Array((901 - Int64(commits.count))...900))
    await stack.close()
  }

  @Test func `the parts of a large commit go with it`() async throws {
    let stack = try await file.open(.keep(bytes: 10_000))
    let name = String(repeating: "x", count: 500)
    try await stack.commit { scratch in
      for id in 10..<2_000 { scratch.insert(Boat(id: id, name: name)) }
    }
    #expect(try await stack.rows("SELECT count(*) > 1 FROM strata_history_part") == ["1"])
    try await commit(400, stack)
    #expect(try await stack.rows("SELECT count(*) FROM strata_history_part") == ["0"])
    await stack.close()
  }

  @Test func `an iteration goes on with what was removed behind it`() async throws {
    let stack = try await file.open(.keep(bytes: 2_000))
    let slow = try await file.open(.long)
    let unlimited = try await file.open(.long)
    try await commit(500, unlimited)
    var iterator = slow.history().makeAsyncIterator()
    var seen: [Int64] = []
    while seen.count < 10, let entry = try await iterator.next() { seen.append(entry.token.commit) }
    try await commit(300, stack)
    #expect(try await stack.commits().count < 100)
    while let entry = try await iterator.next() { seen.append(entry.token.commit) }
    #expect(seen == Array(1...500))
    await stack.close()
    await unlimited.close()
    await slow.close()
  }

  @Test func `a stream loses nothing when the history behind it is removed`() async throws {
    let stack = try await file.open(.keep(bytes: 1_000))
    let changes = stack.changes
    try await commit(500, stack)
    var iterator = changes.makeAsyncIterator()
    let all = await iterator.next()?.changes(of: Boat.self)
    #expect(all?.isReset == false && all?.inserted.map(\.name) == ["499"])
    await stack.close()
  }
}
