internal import Strata

/// The running refreshes by name, and the callers that wait for each.
///
/// ```
/// landed ─ join → flying ─ the work ends, or the last caller leaves → landed
/// ```
/// All callers that join while the work runs get its result. When the last caller leaves, the work
/// is cancelled. The next caller begins new work, even if the cancelled work has not ended.
final class Flights: Sendable {
  typealias Outcome = Result<RefreshResult, ImportError>
  /// Does the work and reports its progress.
  typealias Work =
    @Sendable @concurrent (@escaping @Sendable (ImportProgress) -> Void) async -> Outcome

  private struct Passenger: Sendable {
    let outcome = Promise<Outcome>()
    let monitor: ImportMonitor?
  }

  private struct Flight: Sendable {
    let id: Int
    /// The task of the work; nil until the work has begun.
    var task: Task<Void, Never>?
    var passengers: [Int: Passenger] = [:]
  }

  private struct State: Sendable {
    var flights: [String: Flight] = [:]
    var lastID = 0

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }
  }

  private let state = Lock(State())

  /// Waits for the work of a name, and begins the work if it does not run.
  ///
  /// The callers share the work, so a caller's deadline ends only the caller's wait.
  nonisolated(nonsending) func join(
    _ name: String, _ monitor: ImportMonitor?,
    _ work: @escaping Work
  ) async throws(ImportError) -> RefreshResult {
    if Task.isCancelled { throw .cancelled }
    let passenger = Passenger(monitor: monitor)
    let id = enter(name, passenger, work)
    let outcome = await withCancellationHandling {
      await StoreDeadline.awaiting {
        await passenger.outcome.value
      } orElse: { [self] in
        leave(name, id, .store(.deadlineExceeded))
      }
    } onCancel: {
      leave(name, id, .cancelled)
    }
    return try outcome.get()
  }

  func passengers(of name: String) -> Int {
    state.withLock { $0.flights[name]?.passengers.count ?? 0 }
  }

  /// Adds a passenger to the flight of a name, and returns the passenger's number.
  private func enter(_ name: String, _ passenger: Passenger, _ work: @escaping Work) -> Int {
    let (id, begun) = state.withLock { state -> (Int, Int?) in
      var begun: Int?
      if state.flights[name] == nil {
        let flight = state.nextID()
        state.flights[name] = Flight(id: flight)
        begun = flight
      }
      let id = state.nextID()
      state.flights[name]?.passengers[id] = passenger
      return (id, begun)
    }
    if let begun { begin(name, begun, work) }
    return id
  }

  /// Begins the work. Call it outside of the lock.
  ///
  /// Binding a task-local value takes a lock of the caller's task. Cancelling that task holds the
  /// same lock while it calls `leave`, which takes this lock.
  private func begin(_ name: String, _ id: Int, _ work: @escaping Work) {
    let task = StoreDeadline.withNone {
      Task {
        let outcome = await work { [self] progress in publish(progress, name, id) }
        land(name, id, outcome)
      }
    }
    let isOver = state.withLock { state in
      guard state.flights[name]?.id == id else { return true }
      state.flights[name]?.task = task
      return false
    }
    if isOver { task.cancel() }
  }

  /// Ends a passenger's wait; does nothing after the landing.
  private func leave(_ name: String, _ id: Int, _ reason: ImportError) {
    let (passenger, task): (Passenger?, Task<Void, Never>?) = state.withLock { state in
      let passenger = state.flights[name]?.passengers.removeValue(forKey: id)
      guard passenger != nil, state.flights[name]?.passengers.isEmpty == true else {
        return (passenger, nil)
      }
      return (passenger, state.flights.removeValue(forKey: name)?.task)
    }
    task?.cancel()
    passenger?.outcome.resolve(.failure(reason))
  }

  private func publish(_ progress: ImportProgress, _ name: String, _ id: Int) {
    let flight = state.withLock { $0.flights[name] }
    guard let flight, flight.id == id else { return }
    for passenger in flight.passengers.values { passenger.monitor?.publish(progress) }
  }

  private func land(_ name: String, _ id: Int, _ outcome: Outcome) {
    let flight = state.withLock { state in
      state.flights[name]?.id == id ? state.flights.removeValue(forKey: name) : nil
    }
    for passenger in flight?.passengers.values.map(\.self) ?? [] {
      passenger.outcome.resolve(outcome)
    }
  }
}
