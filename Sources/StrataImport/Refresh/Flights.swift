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
  private typealias Continuation = CheckedContinuation<Outcome, Never>

  private struct Passenger: Sendable {
    let continuation: Continuation
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
    /// The callers without an outcome.
    var callers: Set<Int> = []
    /// The errors of callers that left before they joined.
    var absent: [Int: ImportError] = [:]

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
    // If the caller left after the landing, `leave` took it for a caller that had not joined.
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

  private func leave(_ name: String, _ id: Int, _ reason: ImportError) {
    let (passenger, task): (Passenger?, Task<Void, Never>?) = state.withLock { state in
      guard let flight = state.flights[name], flight.passengers[id] != nil else {
        // A deadline may end after the caller has its outcome.
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
