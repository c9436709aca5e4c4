internal import Foundation

/// The turns of the pushes of one store, whatever stack and whatever handle makes them.
///
/// All stacks of a process that have the same file open share the turns.
final class PushTurns: Sendable {
  /// The identity of a store and its file. A copy of the file has turns of its own.
  struct Place: Sendable, Hashable {
    let identity: UUID
    let file: FileStatus.ID?
  }

  private struct Held {
    weak var turns: PushTurns?
  }

  private static let all = Lock<[Place: Held]>([:])

  private let place: Place
  private let turnstile = Turnstile()
  private let delays = Lock(0)

  private init(_ place: Place) { self.place = place }

  deinit {
    Self.all.withLock { all in
      if all[place]?.turns == nil { all[place] = nil }
    }
  }

  /// Returns the turns of a store.
  static func of(_ place: Place) -> PushTurns {
    all.withLock { all in
      if let turns = all[place]?.turns { return turns }
      let turns = PushTurns(place)
      all[place] = Held(turns: turns)
      return turns
    }
  }

  /// Returns when no other push of the store runs; the caller then has to call ``leave()``.
  nonisolated(nonsending) func enter() async throws(StoreError) { try await turnstile.enter() }

  func leave() { turnstile.leave() }

  /// The number of pushes that wait.
  var waitingCount: Int { turnstile.waitingCount }

  /// Notes the end of a push.
  ///
  /// - Parameter isPostponed: whether the server postponed requests.
  /// - Returns: the number of pushes in a row in which the server postponed requests.
  func noteEnd(isPostponed: Bool) -> Int {
    delays.withLock { delays in
      delays = isPostponed ? delays + 1 : 0
      return delays
    }
  }
}
