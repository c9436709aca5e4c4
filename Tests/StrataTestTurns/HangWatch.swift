internal import Dispatch
internal import Foundation
internal import Synchronization
internal import Testing

/// A watch over one test, which tells the test's name after a minute, and ends the process after five.
///
/// A hanging test cannot be stopped, and Swift Testing would wait for it for ever. A minute is ten times
/// as long as the longest test takes on two quiet cores. On a busy machine a test may need it.
final class HangWatch: Sendable {
  private let test: String
  private let hasEnded = Atomic(false)

  init(_ test: Test) {
    self.test = "test \(test.name) at \(test.sourceLocation)"
    look(after: 60) { $0.report("has not ended after a minute") }
    look(after: 300) { watch in
      watch.report("has not ended after five minutes")
      exit(1)
    }
  }

  private func look(after seconds: Double, _ act: @escaping @Sendable (HangWatch) -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [self] in
      if !hasEnded.load(ordering: .relaxed) { act(self) }
    }
  }

  private func report(_ what: String) {
    FileHandle.standardError.write(Data("error: \(test) \(what)\n".utf8))
  }

  func end() { hasEnded.store(true, ordering: .relaxed) }
}
