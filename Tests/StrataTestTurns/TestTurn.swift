public import Testing

/// A trait that lets a few tests run at a time, and ends a process in which one of them hangs.
///
/// Swift Testing begins all tests at once. Nearly two thousand tests with stores of their own then wait for
/// each other, on the main actor and for the pool of threads. They take several times as long, and a test
/// that waits for its turn cannot be told from a test that hangs.
///
/// Every suite and every test outside of a suite has the trait. `.ci/turns` checks that.
public struct TestTurn: TestTrait, SuiteTrait, TestScoping {
  /// Whether the current test has its turn already: a suite in a suite has the trait twice.
  @TaskLocal private static var isHeld = false

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // A suite is no test: its tests take turns.
    guard testCase != nil, !Self.isHeld else { return try await function() }
    await TestTurns.shared.take()
    let (hang, start) = (HangWatch(test), ContinuousClock.now)
    let result: Result<Void, any Error>
    do { result = .success(try await Self.$isHeld.withValue(true, operation: function)) } catch {
      result = .failure(error)
    }
    hang.end()
    LongestTests.add(test.name, start.duration(to: .now))
    await TestTurns.shared.giveBack()
    try result.get()
  }
}

extension Trait where Self == TestTurn {
  /// The tests run a few at a time, with all other tests of the package.
  public static var inTurn: TestTurn { TestTurn() }
}

/// The turns of all tests of the process, which are given in the order in which they are asked for.
private actor TestTurns {
  static let shared = TestTurns()

  /// The number of tests that run at a time. They mostly wait for their stores, so two cores are busy with
  /// eight of them.
  private var free = 8
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var next = 0

  func take() async {
    if free > 0 {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func giveBack() {
    guard next < waiting.count else {
      free += 1
      return
    }
    waiting[next].resume()
    next += 1
  }
}
