import Strata

/// A pause for some choices of the scheduler, or for some virtual time.
struct Pause {
  private let yields: Int
  private let sleep: Duration?

  init(_ random: inout SplitMix64) {
    yields = random.below(6)
    sleep = random.oneIn(3) ? .milliseconds(random.below(40)) : nil
  }

  func wait() async {
    for _ in 0..<yields { await Task.yield() }
    if let sleep { try? await Task.sleep(for: sleep) }
  }

  /// Waits for a condition, for a minute of virtual time at most.
  @MainActor
  static func until(_ condition: () -> Bool) async {
    let end = ContinuousClock.now + .seconds(60)
    while !condition(), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(20)) }
  }
}
