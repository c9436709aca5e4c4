internal import CStrataSQLite
internal import Strata

/// Makes consecutive calls of one kind fail, and counts the calls of that kind.
package final class FaultPlan: FileObserver {
  /// The calls that fail.
  package struct Fault: Sendable, CustomStringConvertible {
    package let call: FileCall
    /// The first call that fails, counted from 1 since the fault was armed.
    package let number: Int
    /// The number of consecutive calls that fail.
    package let length: Int
    /// The SQLite result code that the calls fail with.
    package let code: Int32

    package init(_ call: FileCall, number: Int, length: Int = 1, code: Int32) {
      self.call = call
      self.number = number
      self.length = length
      self.code = code
    }

    package var description: String {
      "\(call.rawValue) \(number)" + (length > 1 ? " and \(length - 1) more" : "")
        + " with code \(code)"
    }
  }

  private struct State: Sendable {
    var fault: Fault?
    var calls = 0
    var failures = 0
  }

  private let state = Lock(State())
  package let sharesMemory: Bool

  package init(sharesMemory: Bool = true) { self.sharesMemory = sharesMemory }

  /// Arms a fault, which replaces the armed one and starts the count again.
  package func arm(_ fault: Fault) { state.withLock { $0 = State(fault: fault) } }

  /// Disarms the fault, so that every call works again.
  ///
  /// - Returns: the number of calls that failed.
  @discardableResult
  package func disarm() -> Int {
    state.withLock { state in
      state.fault = nil
      return state.failures
    }
  }

  package func failure(of call: FileCall, _ file: String) -> Int32? {
    state.withLock { state in
      guard let fault = state.fault, fault.call == call else { return nil }
      state.calls += 1
      guard state.calls >= fault.number, state.calls < fault.number + fault.length else {
        return nil
      }
      state.failures += 1
      return fault.code
    }
  }

  /// Returns the codes that a call may fail with.
  package static func codes(of call: FileCall) -> [Int32] {
    // The header spells the extended codes as expressions, which are not imported.
    func inputOutput(_ detail: Int32) -> Int32 { SQLITE_IOERR | detail << 8 }
    return switch call {
    case .open: [SQLITE_CANTOPEN, SQLITE_NOMEM]
    // `SQLITE_NOMEM` is left out: a rollback treats a page that it cannot read as lost only after
    // an I/O error.
    case .read: [inputOutput(1)]
    case .write: [inputOutput(3), SQLITE_FULL]
    case .truncate: [inputOutput(6)]
    case .sync: [inputOutput(4)]
    case .lock: [SQLITE_BUSY, inputOutput(15)]
    case .delete: [inputOutput(10)]
    case .sharedLock: [SQLITE_BUSY, inputOutput(20)]
    case .sharedMap: [inputOutput(21), SQLITE_NOMEM]
    }
  }
}
