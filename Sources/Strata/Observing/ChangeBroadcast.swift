/// The subscribers of a change log, and their waiters.
///
/// reading ─next, something unread→ reading;  reading ─next, nothing unread→ waiting
/// waiting ─publish→ reading (resumed);  any ─unsubscribe→ gone;  any ─finish→ draining
/// draining ─next, something unread→ draining;  draining ─next, nothing unread→ gone
struct ChangeBroadcast: Sendable {
  typealias Waiter = UnsafeContinuation<Void, Never>

  enum NextAction: Sendable {
    case deliver([ChangeSet])
    case wait
    case end
  }

  private struct Subscriber: Sendable {
    var cursor: ChangeLog.Cursor
    /// The only table that the subscriber follows; nil for every table.
    let table: TableID?
    var waiter: Waiter?
  }

  var log: ChangeLog
  private var subscribers: [Int: Subscriber] = [:]
  private var waiting: Set<Int> = []
  private var nextID = 0
  private var isFinished = false

  init(log: ChangeLog = ChangeLog()) { self.log = log }

  var subscriptionCount: Int { subscribers.count }

  /// The backlog of one subscriber.
  struct Backlog: Sendable {
    /// The only table that the subscriber follows; nil for every table.
    let table: TableID?
    /// The number of unread change sets; a composed set counts once.
    let unread: Int
  }

  /// The backlogs in the order of subscription.
  var backlogs: [Backlog] {
    subscribers.sorted { $0.key < $1.key }.map {
      Backlog(table: $0.value.table, unread: log.unreadCount($0.value.cursor))
    }
  }

  mutating func subscribe(to table: TableID?) -> Int {
    nextID += 1
    if !isFinished {
      subscribers[nextID] = Subscriber(cursor: log.addCursor(), table: table)
    }
    return nextID
  }

  /// Ends a subscription, and returns its waiter to resume, if it has one.
  mutating func unsubscribe(_ id: Int) -> Waiter? {
    guard let subscriber = subscribers.removeValue(forKey: id) else { return nil }
    waiting.remove(id)
    log.remove(subscriber.cursor)
    return subscriber.waiter
  }

  /// Appends changes to the log, and returns the waiters to resume.
  ///
  /// A waiting subscriber of a table that did not change skips the set.
  mutating func publish(_ changes: ChangeSet) -> [Waiter] {
    if isFinished || changes.isEmpty { return [] }
    log.append(changes)
    var resumed: [Waiter] = []
    for id in waiting {
      guard var subscriber = subscribers[id] else { continue }
      if let table = subscriber.table, !changes.touches(table) {
        _ = log.read(&subscriber.cursor)
      } else if let waiter = subscriber.waiter {
        resumed.append(waiter)
        subscriber.waiter = nil
        waiting.remove(id)
      }
      subscribers[id] = subscriber
    }
    return resumed
  }

  mutating func next(_ id: Int) -> NextAction {
    guard var subscriber = subscribers[id] else { return .end }
    if !log.hasUnread(subscriber.cursor) {
      if isFinished {
        _ = unsubscribe(id)
        return .end
      }
      return .wait
    }
    let sets = log.read(&subscriber.cursor)
    subscribers[id] = subscriber
    guard let table = subscriber.table else { return .deliver(sets) }
    // The other tables are dropped: this subscriber may have skipped some of their commits.
    return .deliver(sets.compactMap { $0.only(table) })
  }

  /// Keeps the waiter until there is something to read.
  ///
  /// Returns false if there is no reason to wait: a set is unread, or the subscription has ended.
  mutating func park(_ id: Int, _ waiter: Waiter) -> Bool {
    guard var subscriber = subscribers[id], !isFinished, !log.hasUnread(subscriber.cursor) else {
      return false
    }
    if subscriber.waiter != nil {
      fatalError("two tasks iterate one change stream; ask for a stream each")
    }
    subscriber.waiter = waiter
    subscribers[id] = subscriber
    waiting.insert(id)
    return true
  }

  /// Ends every subscription after its unread sets, and returns all waiters to resume.
  mutating func finish() -> [Waiter] {
    isFinished = true
    defer { waiting = [] }
    return waiting.compactMap { id in
      defer { subscribers[id]?.waiter = nil }
      return subscribers[id]?.waiter
    }
  }
}
