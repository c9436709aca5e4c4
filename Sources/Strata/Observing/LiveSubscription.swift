/// The mailbox of one subscriber: the shell around ``LiveMailbox``.
final class LiveSubscription: Sendable {
  private let mailbox: Lock<LiveMailbox>

  init(seen: ShownRows) { mailbox = Lock(LiveMailbox(seen: seen)) }

  func publish(_ rows: ShownRows, _ changed: ChangedKeys) {
    mailbox.withLock { $0.publish(rows, changed) }?.resume()
  }

  func finish() { mailbox.withLock { $0.finish() }?.resume() }

  func next(isolation: isolated (any Actor)?) async -> LiveChange? {
    while true {
      switch mailbox.withLock({ $0.next() }) {
      case .deliver(let change): return change
      case .end: return nil
      case .wait:
        await withTaskCancellationHandler {
          await mailbox.awaiting(isolation: isolation) { $0.park($1) ? nil : () }
        } onCancel: {
          finish()
        }
      }
    }
  }
}

/// The subscribers of one live query that still exist.
struct LiveSubscribers: Sendable {
  private struct WeakSubscription {
    weak var subscription: LiveSubscription?
  }

  private var all: [WeakSubscription] = []

  mutating func add(_ subscription: LiveSubscription) {
    all.append(WeakSubscription(subscription: subscription))
  }

  mutating func publish(_ rows: ShownRows, _ changed: ChangedKeys) {
    all.removeAll { $0.subscription == nil }
    for entry in all { entry.subscription?.publish(rows, changed) }
  }

  func finish() {
    for entry in all { entry.subscription?.finish() }
  }
}
