internal import Foundation
internal import Synchronization

/// The seeds whose histories run at the moment. On Linux, a process that a trap ends names them on
/// standard error.
package enum SeedsUnderWay {
  /// A seed that a signal handler can read, because it takes no lock.
  private final class Slot: Sendable {
    let seed = Atomic<UInt64>(0)
  }

  /// The slots of the threads of a run; 0 is no seed.
  private static let slots = (0..<64).map { _ in Slot() }

  /// The signals of traps, with the actions that ran for them before.
  private static let actions: [(signal: Int32, before: sigaction)] = {
    #if os(Linux)
      var action = sigaction()
      action.__sigaction_handler.sa_handler = { signal in SeedsUnderWay.didTrap(signal) }
      return [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT].map { signal in
        var before = sigaction()
        sigaction(signal, &action, &before)
        return (signal: signal, before: before)
      }
    #else
      return []
    #endif
  }()

  /// Notes the seed that a thread begins; 0 when the thread has ended.
  package static func begin(_ seed: UInt64, thread: Int = 0) {
    _ = actions
    slots[thread % slots.count].seed.store(seed, ordering: .relaxed)
  }

  /// Prints the seeds. The trap then happens again, with the action from before.
  private static func didTrap(_ signal: Int32) {
    var isFirst = true
    for slot in slots {
      let seed = slot.seed.load(ordering: .relaxed)
      if seed == 0 { continue }
      if isFirst { for unit in "seeds under way:".utf8 { put(unit) } }
      isFirst = false
      put(UInt8(ascii: " "))
      var power: UInt64 = 1
      while seed / power >= 10 { power *= 10 }
      while power > 0 {
        put(UInt8(ascii: "0") + UInt8(seed / power % 10))
        power /= 10
      }
    }
    if !isFirst { put(UInt8(ascii: "\n")) }
    for (known, before) in actions where known == signal {
      var before = before
      sigaction(signal, &before, nil)
    }
  }

  private static func put(_ byte: UInt8) {
    var byte = byte
    _ = write(2, &byte, 1)
  }
}
