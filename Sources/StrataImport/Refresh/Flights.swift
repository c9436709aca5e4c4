internal import Strata

/// Work that is under way, each under a name, and who waits for it.
///
/// landed ─ join → flying ─ the work ends, or the last one leaves → landed
///
/// Everyone who joins while the work is under way gets its result. Work that nobody waits for any
/// longer is cancelled, and the next one who comes begins anew, also while it still comes to its
/// end.
final class Flights: Sendable {
  typealias Outcome = Result<RefreshResult, ImportError>
  /// Does the work, and tells its progress.
  typealias Work =
    @Sendable @concurrent (@escaping @Sendable (ImportProgress) -> Void) async -> Outcome
  private typealias Continuation = CheckedContinuation<Outcome, Never>

  private struct Passenger: Sendable {
    let continuation: Continuation
    let monitor: ImportMonitor?
  }

  private struct Flight: Sendable {
    let id: Int
    /// Nil until it has begun.
    var task: Task<Void, Never>?
    var passengers: [Int: Passenger] = [:]
  }

  private struct State: Sendable {
    var flights: [String: Flight] = [:]
    var lastID = 0
    /// Who has called and has no outcome yet.
    var callers: Set<Int> = []
    /// Why those left who had not joined yet.
    var absent: [Int: ImportError] = [:]

    mutating func nextID() -> Int {
      lastID += 1
      return lastID
    }
  }

  private let state = Lock(State())

  /// Waits for the work of a name, and begins it if nobody has.
  ///
  /// The work is everybody's: a deadline of the caller's ends the caller's wait.
  nonisolated(nonsending) func join(
    _ name: String, _ monitor: ImportMonitor?,
    _ work: @escaping Work
  ) async throws(ImportError) -> RefreshResult {
    let id = state.withLock { state in
      let id = state.nextID()
      state.callers.insert(id)
      return id
    }
    let outcome = await withTaskCancellationHandler {
      await StoreDeadline.awaiting {
        await withCheckedContinuation { (continuation: Continuation) in
          enter(name, id, Passenger(continuation: continuation, monitor: monitor), work)
        }
      } orElse: { [self] in
        leave(name, id, .store(.deadlineExceeded))
      }
    } onCancel: {
      leave(name, id, .cancelled)
    }
    // Who leaves behind the landing was noted as one who has not come yet.
    state.withLock { state in
      state.callers.remove(id)
      state.absent[id] = nil
    }
    return try outcome.get()
  }

  func passengers(of name: String) -> Int {
    state.withLock { $0.flights[name]?.passengers.count ?? 0 }
  }

  private func enter(
    _ name: String, _ id: Int, _ passenger: Passenger,
    _ work: @escaping Work
  ) {
    let (reason, flight): (ImportError?, Int?) = state.withLock { state in
      if let reason = state.absent.removeValue(forKey: id) { return (reason, nil) }
      var begun: Int?
      if state.flights[name] == nil {
        let flight = state.nextID()
        state.flights[name] = Flight(id: flight)
        begun = flight
      }
      state.flights[name]?.passengers[id] = passenger
      return (nil, begun)
    }
    if let reason { passenger.continuation.resume(returning: .failure(reason)) }
    if let flight { begin(name, flight, work) }
  }

  /// Begins the work, outside of the lock: binding a task-local value takes a lock of the caller's
  /// task, and who cancels that task holds it while the caller leaves.
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

  private func leave(_ name: String, _ id: Int, _ reason: ImportError) {
    let (passenger, task): (Passenger?, Task<Void, Never>?) = state.withLock { state in
      guard let flight = state.flights[name], flight.passengers[id] != nil else {
        // A deadline may come late.
        if state.callers.contains(id) { state.absent[id] = reason }
        return (nil, nil)
      }
      let passenger = state.flights[name]?.passengers.removeValue(forKey: id)
      guard state.flights[name]?.passengers.isEmpty == true else { return (passenger, nil) }
      state.flights[name] = nil
      return (passenger, flight.task)
    }
    task?.cancel()
    passenger?.continuation.resume(returning: .failure(reason))
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
      passenger.continuation.resume(returning: outcome)
    }
  }
}
