/// A gate that holds tasks until a test opens it.
///
/// It holds concurrent code at one place without sleeping. It is closed at first.
///
/// ```swift
/// let gate = TestGate()
/// let task = Task { await gate.pass() }
/// await gate.waitForArrivals()  // the task waits at the gate
/// await gate.open()
/// await task.value
/// ```
public actor TestGate {
  private var isOpen = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []
  private var arrivals = 0
  private var watchers: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []

  /// Creates a closed gate.
  public init() {}

  /// Passes the gate, or waits until it opens.
  ///
  /// A cancelled task waits, too, so that a test can hold it.
  public func pass() async {
    arrivals += 1
    let reached = watchers.filter { $0.count <= arrivals }
    watchers.removeAll { $0.count <= arrivals }
    for watcher in reached { watcher.continuation.resume() }
    await withUnsafeContinuation { continuation in
      if isOpen { continuation.resume() } else { waiting.append(continuation) }
    }
  }

  /// Waits until tasks have reached the gate `count` times in all, even if the waiting task is
  /// cancelled.
  public func waitForArrivals(_ count: Int = 1) async {
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
