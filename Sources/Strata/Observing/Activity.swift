/// What a stack, or a live query, is busy with.
public struct Activity: OptionSet, Sendable, Hashable, Codable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// An import runs.
  public static let importing = Activity(rawValue: 1 << 0)
  /// A context's edits are on their way to the store.
  public static let saving = Activity(rawValue: 1 << 1)
  /// A live query reads rows that it lacks, all of them or some.
  public static let refilling = Activity(rawValue: 1 << 2)

  /// Whether there is nothing to wait for.
  public var isIdle: Bool { isEmpty }

  /// Every activity.
  static let kinds: [Activity] = [.importing, .saving, .refilling]

  /// The names of what is under way.
  var names: String {
    zip(Self.kinds, ["importing", "saving", "refilling"]).filter { contains($0.0) }.map(\.1)
      .joined(separator: ", ")
  }
}

/// Counts what is under way, from any thread.
package final class ActivityLedger: Sendable {
  private struct State: Sendable {
    var counts = [Int](repeating: 0, count: Activity.kinds.count)
    /// Told when the answer may be another one; nil while nobody asks.
    var listener: (@Sendable () -> Void)?
    /// The listener has been told and has not looked yet.
    var isTold = false

    var current: Activity {
      Activity(zip(Activity.kinds, counts).filter { $0.1 > 0 }.map(\.0))
    }
  }

  private let state = Lock(State())
  /// The whole that this is a part of.
  private let parent: ActivityLedger?

  init(of parent: ActivityLedger? = nil) { self.parent = parent }

  package func begin(_ kind: Activity) { count(kind, 1) }

  /// - Precondition: one `begin` of the same kind has not been ended.
  package func end(_ kind: Activity) { count(kind, -1) }

  private func count(_ kind: Activity, _ step: Int) {
    let listener = state.withLock { state -> (@Sendable () -> Void)? in
      let before = state.current
      for (index, each) in Activity.kinds.enumerated() where kind.contains(each) {
        state.counts[index] += step
      }
      if state.current == before || state.isTold { return nil }
      state.isTold = state.listener != nil
      return state.listener
    }
    listener?()
    parent?.count(kind, step)
  }

  /// What is under way now.
  var current: Activity { state.withLock { $0.current } }

  /// What is under way; the listener is told of what changes after this.
  func look() -> Activity {
    state.withLock { state in
      state.isTold = false
      return state.current
    }
  }

  /// Tells `listener` once when something changes, and again after the next look.
  func listen(_ listener: @escaping @Sendable () -> Void) {
    state.withLock { $0.listener = listener }
  }
}
