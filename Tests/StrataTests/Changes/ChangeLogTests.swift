import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct ChangeLogTests {
  /// A reader, and the history at its last read.
  private struct Reader {
    var cursor: ChangeLog.Cursor
    var seen: History
    var unread = 0
  }

  @Test func `each cursor reads exactly what was appended since it last read`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<25 {
      var history = try History()
      var log = ChangeLog()
      var readers: [Reader] = []
      let appends = 2 + random.below(60)
      for _ in 0..<400 {
        switch random.below(appends) {
        case 0 where readers.count < 8:
          readers.append(Reader(cursor: log.addCursor(), seen: history))
        case 0:
          log.remove(readers.remove(at: random.below(readers.count)).cursor)
        case 1 where !readers.isEmpty:
          let index = random.below(readers.count)
          #expect(log.hasUnread(readers[index].cursor) == (readers[index].unread > 0))
          let read = ChangeSet.composed(log.read(&readers[index].cursor))
          #expect(read?.byKey ?? [:] == history.changes(since: readers[index].seen))
          #expect((read == nil) == (readers[index].unread == 0))
          if let read { #expect(read.commit == history.commit && read.isInNormalForm) }
          readers[index].seen = history
          readers[index].unread = 0
          #expect(!log.hasUnread(readers[index].cursor))
        default:
          log.add(try history.commit(&random))
          for index in readers.indices { readers[index].unread += 1 }
        }
        if readers.allSatisfy({ $0.unread == 0 }) { #expect(log.count == 0) }
      }
      for var reader in readers {
        let read = ChangeSet.composed(log.read(&reader.cursor))
        #expect(read?.byKey ?? [:] == history.changes(since: reader.seen))
      }
      #expect(log.count == 0)
    }
  }

  @Test func `a log without cursors keeps nothing`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    var log = ChangeLog()
    for _ in 0..<100 { log.add(try history.commit(&random)) }
    #expect(log.count == 0)
    let late = log.addCursor()
    #expect(!log.hasUnread(late))
  }

  @Test func `removing the only slow cursor frees what only it had not read`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    var log = ChangeLog()
    let slow = log.addCursor()
    var quick = log.addCursor()
    for _ in 0..<10 { log.add(try history.commit(&random)) }
    _ = log.read(&quick)
    log.add(try history.commit(&random))
    #expect(log.count == 11)
    log.remove(slow)
    #expect(log.count == 1 && log.hasUnread(quick))
  }

  @Test func `the changes that are read while neighbours are composed are not put back`() throws {
    var random = SeededRandom.printingSeed()
    for read in 0..<3 {
      var history = try History()
      var log = ChangeLog()
      var (slow, quick) = (log.addCursor(), log.addCursor())
      while !log.isLong { log.append(try history.commit(&random)) }
      let runs = log.takeRuns()
      let seen = history
      if read == 0 { _ = log.read(&slow) }
      if read == 1 {
        _ = log.read(&slow)
        _ = log.read(&quick)
      }
      for _ in 0..<5 { log.append(try history.commit(&random)) }
      log.putBack(runs.map { $0.composed() })
      let expected = read == 2 ? history.changes() : history.changes(since: seen)
      #expect(ChangeSet.composed(log.read(&slow))?.byKey == expected)
      let rest = read == 1 ? history.changes(since: seen) : history.changes()
      #expect(ChangeSet.composed(log.read(&quick))?.byKey == rest)
      #expect(log.count == 0)
    }
  }

  /// Two threads that both find the log long must not both compose it.
  @Test func `two compositions at once lose nothing`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    var log = ChangeLog()
    var cursor = log.addCursor()
    while !log.isLong { log.append(try history.commit(&random)) }
    var runs = log.takeRuns()
    let others = log.takeRuns()
    while !runs.isEmpty { runs = log.exchange(runs.map { $0.composed() }) }
    if !others.isEmpty { log.putBack(others.map { $0.composed() }) }
    #expect(ChangeSet.composed(log.read(&cursor))?.byKey ?? [:] == history.changes())
  }

  @Test func `a slow cursor costs a bounded number of entries`() throws {
    var random = SeededRandom.printingSeed()
    var history = try History()
    var log = ChangeLog()
    var slow = log.addCursor()
    var most = 0
    for _ in 0..<3_000 {
      log.add(try history.commit(&random))
      most = max(most, log.count)
    }
    #expect(most <= 3 * StoreBounds().unread)
    let read = ChangeSet.composed(log.read(&slow))
    #expect(read?.byKey ?? [:] == history.changes())
  }
}

extension ChangeLog {
  /// Appends a change set as a publisher does.
  mutating func add(_ changes: ChangeSet) {
    append(changes)
    if isLong { putBack(takeRuns().map { $0.composed() }) }
  }
}
