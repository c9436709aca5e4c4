/// A door that a test opens: whoever comes before waits.
///
/// The way to hold concurrent code at one place without sleeping. Closed at first.
public actor TestGate {
  private var isOpen = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var arrivals = 0
  private var watchers: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []

  /// A closed gate.
  public init() {}

  /// Goes through, or waits until the gate opens, also if the task is cancelled: what was cancelled
  /// can be held, too.
  public func pass() async {
    arrivals += 1
    let reached = watchers.filter { $0.count <= arrivals }
    watchers.removeAll { $0.count <= arrivals }
    for watcher in reached { watcher.continuation.resume() }
    await withUnsafeContinuation { continuation in
      if isOpen { continuation.resume() } else { waiting.append(continuation) }
    }
  }

  /// Returns when somebody has come to the gate `count` times in all, and not before, also if the
  /// task is cancelled.
  public func arrived(_ count: Int = 1) async {
    await withUnsafeContinuation { continuation in
      if arrivals >= count { continuation.resume() } else { watchers.append((count, continuation)) }
    }
  }

  /// Opens the gate for good.
  public func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}
