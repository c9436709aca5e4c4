import Foundation
import Strata
import StrataFaults

/// The processes of a history, one after another, which have the same store open and may be killed.
@MainActor
struct KilledProcesses {
  private let store: URL
  /// The kill of the process that runs.
  private(set) var current = Kill()

  init(of store: URL) {
    self.store = store
    ObservedFileSystem.observe(store.path, with: current)
  }

  /// Arms the kill for the work that follows, at random.
  ///
  /// - Returns: whether the kill is armed.
  func arm(_ random: inout SplitMix64) -> Bool {
    guard random.oneIn(4) else { return false }
    current.arm(after: random.below(30))
    return true
  }

  /// Starts the next process.
  mutating func replace() {
    end()
    current = Kill()
    ObservedFileSystem.observe(store.path, with: current)
  }

  func end() { ObservedFileSystem.endObserving(store.path, with: current) }
}

/// A history whose process may be killed in the middle of its work.
@MainActor
protocol KilledHistory: RandomHistory {
  var processes: KilledProcesses { get set }
  var random: SplitMix64 { get set }
  var stack: Stack { get }
  /// Whether the process lives on to its end.
  var isSettling: Bool { get }

  /// Opens the store again.
  func open() async throws
}

extension KilledHistory {
  var kill: Kill { processes.current }

  /// Arms the kill for the work that follows, at random.
  ///
  /// - Returns: whether the kill is armed.
  func armKill() -> Bool { !isSettling && processes.arm(&random) }

  /// Replaces a killed process by a new process, which opens the store again.
  func endKill() async throws {
    guard kill.disarm() else { return }
    note("the process was killed", "kills")
    await stack.close()
    processes.replace()
    try await open()
  }
}
