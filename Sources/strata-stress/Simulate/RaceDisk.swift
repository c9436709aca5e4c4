import Foundation
import Strata
import StrataFaults
import StrataSimulation

/// The trouble that a history has with the files of its store.
final class RaceDisk: FileObserver {
  enum Trouble: Sendable {
    case none
    /// Calls of a kind fail for a while.
    case faults
    /// A process is killed before a write.
    case kill(process: Int)
    /// The power is lost at some moments.
    case powerLoss(Stack.Synchronous)
  }

  let trouble: Trouble
  private let url: URL
  private let plan = FaultPlan()
  private let kill = Kill()
  private let counted = Lock(0)
  private let loss: PowerLoss

  /// - Parameter url: the place of the store; for a loss of power, a store that is closed.
  init(_ trouble: Trouble, _ url: URL, _ random: inout SplitMix64) throws {
    self.trouble = trouble
    self.url = url
    var files: [String: [UInt8]] = [:]
    if case .powerLoss = trouble { files[url.path] = [UInt8](try Data(contentsOf: url)) }
    loss = PowerLoss(files: files, seed: random.next(), odds: 30, limit: 8)
    ObservedFileSystem.observe(url.path, with: self)
  }

  func endObserving() { ObservedFileSystem.endObserving(url.path, with: self) }

  /// Whether a process is dead.
  func isDead(_ process: Int) -> Bool {
    if case .kill(process) = trouble { kill.isDead } else { false }
  }

  /// Whether calls of a process may fail.
  func mayFail(_ process: Int) -> Bool {
    switch trouble {
    case .none, .powerLoss: false
    case .faults: true
    case .kill: isDead(process)
    }
  }

  /// The number of calls that failed by themselves, up to the last ``disarm()``.
  var failures: Int { counted.withLock { $0 } }

  /// The files that the losses of power leave.
  var images: [PowerLoss.Image] { loss.images }

  func acknowledge(_ commit: Int64) { loss.acknowledge(commit) }

  /// Starts the trouble.
  func arm(_ random: inout SplitMix64) {
    switch trouble {
    case .none, .powerLoss: break
    case .kill: kill.arm(after: random.below(60))
    case .faults:
      let call = random.pick(FileCall.allCases)
      let code = random.pick(FaultPlan.codes(of: call))
      plan.arm(
        .init(call, number: 1 + random.below(20), length: 1 + random.below(3), code: code))
    }
  }

  /// Lets all further calls through, except for those of a dead process.
  func disarm() {
    let failures = plan.disarm()
    counted.withLock { $0 += failures }
    _ = kill.disarm()
  }

  // MARK: - Calls

  func failure(of call: FileCall, _ file: String) -> Int32? {
    switch trouble {
    case .none: nil
    case .faults: plan.failure(of: call, file)
    case .kill(let process):
      Simulation.runningProcess == process ? kill.failure(of: call, file) : nil
    case .powerLoss: loss.failure(of: call, file)
    }
  }

  func didWrite(_ file: String, at offset: Int64, _ bytes: UnsafeRawBufferPointer) {
    if case .powerLoss = trouble { loss.didWrite(file, at: offset, bytes) }
  }

  func didTruncate(_ file: String, to size: Int64) {
    if case .powerLoss = trouble { loss.didTruncate(file, to: size) }
  }

  func didSync(_ file: String, isFull: Bool) {
    if case .powerLoss = trouble { loss.didSync(file, isFull: isFull) }
  }

  func didDelete(_ file: String) {
    if case .powerLoss = trouble { loss.didDelete(file) }
  }
}
