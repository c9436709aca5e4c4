import Strata

/// The steps of a history that run: all of them, or those that a shrunk history keeps.
struct HistorySteps: Sendable, CustomStringConvertible {
  /// A step of a part of the history. Its random numbers depend on its number, not on other steps.
  private struct Step: Sendable {
    let part: Int
    let number: Int
  }

  private var steps: [Step]
  /// Whether files may fail, the process may be killed, and the power may be lost.
  private(set) var hasTrouble = true

  /// Creates all steps of parts.
  ///
  /// - Parameter counts: the number of steps of each part.
  init(_ counts: [Int]) {
    steps = counts.enumerated().flatMap { part, count in
      (0..<count).map { Step(part: part, number: $0) }
    }
  }

  /// Returns the random numbers of a step. The first parts of a seed decide about the whole history.
  static func random(seed: UInt64, step number: Int) -> SplitMix64 {
    SplitMix64(seed: seed, part: 10 + UInt64(number))
  }

  /// Returns the numbers of the steps of a part.
  func numbers(of part: Int) -> [Int] {
    steps.filter { $0.part == part }.map(\.number)
  }

  var description: String {
    "\(steps.count) steps, \(hasTrouble ? "with" : "without") trouble"
  }

  /// Removes the trouble and steps as long as the history still fails.
  ///
  /// The algorithm is delta debugging (Zeller and Hildebrandt, 2002): it removes halves of the steps,
  /// then quarters, and so on down to single steps, until no single step can be removed.
  ///
  /// - Parameter limit: the maximum number of shorter steps that are tried.
  mutating func shrink(tries limit: Int, _ fails: (HistorySteps) async -> Bool) async {
    if limit == 0 { return }
    var tries = 0
    func canBe(_ shorter: HistorySteps) async -> Bool {
      tries += 1
      return await fails(shorter)
    }
    var calm = self
    calm.hasTrouble = false
    if await canBe(calm) { self = calm }
    var size = steps.count / 2
    while size > 0 {
      var (start, isSmaller) = (0, false)
      while start < steps.count {
        if tries == limit { return }
        var shorter = self
        shorter.steps.removeSubrange(start..<min(start + size, steps.count))
        if await canBe(shorter) {
          (self, isSmaller) = (shorter, true)
        } else {
          start += size
        }
      }
      if !isSmaller || size > 1 { size /= 2 }
    }
  }
}
