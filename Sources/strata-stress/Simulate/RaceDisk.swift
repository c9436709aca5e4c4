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
  private let failed = Lock(0)
  /// The choices of the faults that follow a fault.
  private let random: Lock<SplitMix64>
  private let loss: PowerLoss

  /// - Parameter url: the place of the store; for a loss of power, a store that is closed.
  init(_ trouble: Trouble, _ url: URL, _ random: inout SplitMix64) throws {
    self.trouble = trouble
    self.url = url
    var files: [String: [UInt8]] = [:]
    if case .powerLoss = trouble { files[url.path] = [UInt8](try Data(contentsOf: url)) }
    self.random = Lock(SplitMix64(seed: random.next()))
    loss = PowerLoss(files: files, seed: random.next(), odds: 30, limit: 8)
    ObservedFileSystem.observe(url.path, with: self)
  }

  func endObserving() { ObservedFileSystem.endObserving(url.path, with: self) }

  /// Whether a process is dead.
  func isDead(_ process: Int) -> Bool {
    if case .kill(process) = trouble { kill.isDead } else { false }
  }

  /// Whether an error of a process may come from calls that failed.
  func explains(_ code: StoreError.Code, in process: Int) -> Bool {
    switch trouble {
    case .none, .powerLoss: false
    case .faults: failures > 0 && Self.codes.contains(code)
    case .kill: isDead(process)
    }
  }

  /// The codes of errors of files.
  private static let codes: Set<StoreError.Code> = [
    .cannotOpen, .diskFull, .busy, .inputOutput, .outOfMemory,
  ]

  /// The number of calls that failed by themselves.
  var failures: Int { failed.withLock { $0 } }

  /// The files that the losses of power leave.
  var images: [PowerLoss.Image] { loss.images }

  func acknowledge(_ commit: Int64) { loss.acknowledge(commit) }

  /// Starts the trouble.
  func arm(_ random: inout SplitMix64) {
    switch trouble {
    case .none, .powerLoss: break
    case .kill: kill.arm(after: random.below(60))
    case .faults: armFault(&random)
    }
  }

  private func armFault(_ random: inout SplitMix64) {
    // A stack reads and writes all the time, and makes the other calls at few moments.
    let call = random.pick(random.oneIn(2) ? [.read, .write] : FileCall.allCases)
    let code = random.pick(FaultPlan.codes(of: call))
    let number = random.oneIn(3) ? 1 : 1 + random.below(20)
    plan.arm(.init(call, number: number, length: 1 + random.below(3), code: code))
  }

  /// Lets all further calls through, except for those of a dead process.
  func disarm() {
    plan.disarm()
    _ = kill.disarm()
  }

  // MARK: - Calls

  func failure(of call: FileCall, _ file: String) -> Int32? {
    switch trouble {
    case .none: nil
    case .faults: fault(of: call, file)
    case .kill(let process):
      Simulation.runningProcess == process ? kill.failure(of: call, file) : nil
    case .powerLoss: loss.failure(of: call, file)
    }
  }

  private func fault(of call: FileCall, _ file: String) -> Int32? {
    let code = plan.failure(of: call, file)
    if code == nil { return nil }
    failed.withLock { $0 += 1 }
    random.withLock { if $0.oneIn(2) { armFault(&$0) } }
    return code
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
