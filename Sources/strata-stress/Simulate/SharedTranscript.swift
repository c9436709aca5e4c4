import Strata
import StrataImport

/// The transcript of a history, which all its parts write.
final class SharedTranscript: Sendable {
  private let state = Lock(Transcript())
  let disk: RaceDisk
  private let log: StepLog

  init(_ disk: RaceDisk, _ log: StepLog) {
    self.disk = disk
    self.log = log
  }

  func callAsFunction<R: Sendable>(_ body: (inout Transcript) -> R) -> R {
    state.withLock { body(&$0) }
  }

  func step(_ text: String) { log.add(text) }

  /// Notes the step that a part begins; nil if the part has ended.
  func begin(_ step: String?, of part: String) { log.begin(step, of: part) }

  /// The newest commit that a process has reported.
  func reported(by process: Int) -> Int64 { state.withLock { $0.reported[process] } }

  func didReport(_ commit: Int64, by process: Int) {
    let newest = state.withLock { state in
      state.reported[process] = max(state.reported[process], commit)
      return state.reported.max() ?? 0
    }
    disk.acknowledge(newest)
  }
}

extension SharedTranscript {
  /// Notes how a write ends.
  ///
  /// - Parameters:
  ///   - process: the number of the author's process.
  ///   - save: the number of the view context's save.
  ///   - mayBeCancelled: whether the write may be cancelled.
  ///   - body: the write, which returns its commit.
  nonisolated(nonsending) func noting(
    _ write: Transcript.Write, by author: String, _ process: Int, save: Int? = nil,
    mayBeCancelled: Bool = false, _ body: () async throws -> Int64
  ) async throws -> Transcript.WriteNote.End {
    let earliest = reported(by: process)
    let end: Transcript.WriteNote.End
    do {
      let commit = try await body()
      didReport(commit, by: process)
      end = .commit(commit)
    } catch {
      guard let code = Self.code(of: error) else { throw error }
      if PlainRows.Outcome.codes.contains(code) {
        end = .refused(code)
      } else if code == .cancelled, case .save = write {
        end = .refused(code)
      } else {
        // A cancelled import may be a commit.
        end = .failed
        if code != .cancelled || !mayBeCancelled { try tolerate(error, in: process) }
      }
    }
    step("\(author): \(end)")
    self {
      $0.writes.append(
        .init(
          author: author, write: write, earliest: earliest, end: end,
          mayBeCancelled: mayBeCancelled, save: save))
    }
    return end
  }

  /// Throws an error again unless the disk of the process is to blame.
  func tolerate(_ error: any Error, in process: Int) throws {
    guard let code = Self.code(of: error), disk.explains(code, in: process) else { throw error }
    step("process \(process) fails: \(code)")
  }

  /// Suspends a process's stack, waits, and resumes the stack.
  nonisolated(nonsending) func suspend(
    _ stack: Stack, _ process: Int, _ meanwhile: nonisolated(nonsending) () async -> Void
  ) async throws {
    step("stack \(process) is suspended")
    await stack.suspend()
    self { $0.suspensions[process] += 1 }
    await meanwhile()
    do { try await stack.resume() } catch {
      try tolerate(error, in: process)
      // A stack stays suspended if its files cannot be opened.
      disk.disarm()
      if !disk.isDead(process) { try await stack.resume() }
    }
    step("stack \(process) is resumed")
  }

  /// Cancels a part's step after a pause, and waits for its end.
  nonisolated(nonsending) func cancel(
    _ step: Task<Void, any Error>, of part: String, after pause: Pause
  ) async throws {
    await pause.wait()
    step.cancel()
    do { try await step.value } catch {
      guard Self.isCancellation(error) else { throw error }
      self.step("\(part) is cancelled")
    }
  }

  /// Whether an error says that its task was cancelled.
  private static func isCancellation(_ error: any Error) -> Bool {
    error is CancellationError || code(of: error) == .cancelled
  }

  /// The code of a store's or an import's error; nil for other errors.
  private static func code(of error: any Error) -> StoreError.Code? {
    guard let error = error as? ImportError else { return (error as? StoreError)?.code }
    return error.code == .cancelled ? .cancelled : error.storeError?.code
  }
}
