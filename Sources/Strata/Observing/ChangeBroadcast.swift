/// The consumers of a change log, and their waiters.
///
/// reading ─next, something unread→ reading;  reading ─next, nothing unread→ waiting
/// waiting ─publish→ reading (resumed);  any ─unsubscribe→ gone;  any ─finish→ draining
/// draining ─next, something unread→ draining;  draining ─next, nothing unread→ gone
struct ChangeBroadcast: Sendable {
  typealias Waiter = DirectContinuation<Void>

  enum NextAction: Sendable {
    case deliver([ChangeSet])
    case wait
    case end
  }

  private struct Consumer: Sendable {
    var cursor: ChangeLog.Cursor
    /// The only table that the consumer follows; nil for every table.
    let table: TableID?
    var waiter: Waiter?
  }

  var log: ChangeLog
  private var consumers: [Int: Consumer] = [:]
  private var waiting: Set<Int> = []
  private var nextID = 0
  private var isFinished = false

  init(log: ChangeLog = ChangeLog()) { self.log = log }

  var subscriptionCount: Int { consumers.count }

  /// The backlog of one consumer.
  struct Backlog: Sendable {
    /// The only table that the consumer follows; nil for every table.
    let table: TableID?
    /// The number of unread change sets; a composed set counts once.
    let unread: Int
  }

  /// The backlogs in the order of subscription.
  var backlogs: [Backlog] {
    consumers.sorted { $0.key < $1.key }.map {
      Backlog(table: $0.value.table, unread: log.unreadCount($0.value.cursor))
    }
  }

  mutating func subscribe(to table: TableID?) -> Int {
    nextID += 1
    if !isFinished {
      consumers[nextID] = Consumer(cursor: log.addCursor(), table: table)
    }
    return nextID
  }

  /// Ends a subscription, and returns its waiter to resume, if it has one.
  mutating func unsubscribe(_ id: Int) -> Waiter? {
    guard let consumer = consumers.removeValue(forKey: id) else { return nil }
    waiting.remove(id)
    log.remove(consumer.cursor)
    return consumer.waiter
  }

  /// Appends changes to the log, and returns the waiters to resume.
  ///
  /// A waiting consumer of a table that did not change skips the set.
  mutating func publish(_ changes: ChangeSet) -> [Waiter] {
    if isFinished || changes.isEmpty { return [] }
    log.append(changes)
    var resumed: [Waiter] = []
    for id in waiting {
      guard var consumer = consumers[id] else { continue }
      if let table = consumer.table, !changes.touches(table) {
        _ = log.read(&consumer.cursor)
      } else if let waiter = consumer.waiter {
        resumed.append(waiter)
        consumer.waiter = nil
        waiting.remove(id)
      }
      consumers[id] = consumer
    }
    return resumed
  }

  mutating func next(_ id: Int) -> NextAction {
    guard var consumer = consumers[id] else { return .end }
    if !log.hasUnread(consumer.cursor) {
      if isFinished {
        _ = unsubscribe(id)
        return .end
      }
      return .wait
    }
    let sets = log.read(&consumer.cursor)
    consumers[id] = consumer
    guard let table = consumer.table else { return .deliver(sets) }
    // The other tables are dropped: this consumer may have skipped some of their commits.
    return .deliver(sets.compactMap { $0.only(table) })
  }

  /// Keeps the waiter until there is something to read.
  ///
  /// Returns false if there is no reason to wait: a set is unread, or the subscription has ended.
  mutating func park(_ id: Int, _ waiter: Waiter) -> Bool {
    guard var consumer = consumers[id], !isFinished, !log.hasUnread(consumer.cursor) else {
      return false
    }
    if consumer.waiter != nil {
      fatalError("two tasks iterate one change stream; ask for a stream each")
    }
    consumer.waiter = waiter
    consumers[id] = consumer
    waiting.insert(id)
    return true
  }

  /// Ends every subscription after its unread sets, and returns all waiters to resume.
  mutating func finish() -> [Waiter] {
    isFinished = true
    defer { waiting = [] }
    return waiting.compactMap { id in
      defer { consumers[id]?.waiter = nil }
      return consumers[id]?.waiter
    }
  }
}
