/// The kinds of work that a stack, or a live query, has under way.
///
/// ```swift
/// if stack.activity.current.contains(.importing) { print("importing") }
/// ```
public struct StackActivity: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An import runs.
  public static let importing = StackActivity(rawValue: 1 << 0)
  /// A save to the store is under way.
  public static let saving = StackActivity(rawValue: 1 << 1)
  /// A live query reads rows that it lacks: its whole result or a part of it.
  public static let refilling = StackActivity(rawValue: 1 << 2)

  /// Whether nothing is under way.
  public var isIdle: Bool { isEmpty }

  /// Every kind of activity.
  static let kinds: [StackActivity] = [.importing, .saving, .refilling]

  /// The names of the activities.
  var names: String {
    zip(Self.kinds, ["importing", "saving", "refilling"]).filter { contains($0.0) }.map(\.1)
      .joined(separator: ", ")
  }
}

/// Counts the activities under way, from any thread.
package final class ActivityLedger: Sendable {
  private struct State: Sendable {
    var counts = [Int](repeating: 0, count: StackActivity.kinds.count)
    /// Called when `current` changes; nil until ``listen(_:)`` is called.
    var listener: (@Sendable () -> Void)?
    /// The listener was called, and ``look()`` was not called since.
    var isReported = false

    var current: StackActivity {
      StackActivity(zip(StackActivity.kinds, counts).filter { $0.1 > 0 }.map(\.0))
    }
  }

  private let state = Lock(State())
  /// The ledger that counts these activities as well.
  private let parent: ActivityLedger?

  init(of parent: ActivityLedger? = nil) { self.parent = parent }

  package func begin(_ kind: StackActivity) { count(kind, 1) }

  /// - Precondition: a `begin` of the same kind is not ended yet.
  package func end(_ kind: StackActivity) { count(kind, -1) }

  private func count(_ kind: StackActivity, _ step: Int) {
    let listener = state.withLock { state -> (@Sendable () -> Void)? in
      let before = state.current
      for (index, each) in StackActivity.kinds.enumerated() where kind.contains(each) {
        state.counts[index] += step
      }
      if state.current == before || state.isReported { return nil }
      state.isReported = state.listener != nil
      return state.listener
    }
    listener?()
    parent?.count(kind, step)
  }

  /// The activities under way.
  var current: StackActivity { state.withLock { $0.current } }

  /// Returns the activities under way, and lets the listener be called at the next change.
  func look() -> StackActivity {
    state.withLock { state in
      state.isReported = false
      return state.current
    }
  }

  /// Calls `listener` at the next change, and once more after each ``look()``.
  func listen(_ listener: @escaping @Sendable () -> Void) {
    state.withLock { $0.listener = listener }
  }
}
