/// The steps of a race that run: all of them, or those that a shrunk race keeps.
struct RaceSteps: Sendable, CustomStringConvertible {
  /// A step of a part of the race. Its random numbers depend on its number, not on other steps.
  private struct Step: Sendable {
    let part: Int
    let number: Int
  }

  /// The numbers of steps of the parts: the user of the view context, three workers, and the worker
  /// of the other stack.
  private static let counts = [24, 18, 18, 18, 18]

  private var steps = counts.enumerated().flatMap { part, count in
    (0..<count).map { Step(part: part, number: $0) }
  }
  /// Whether files may fail, the process may be killed, and the power may be lost.
  private(set) var hasTrouble = true

  /// The steps of the user of the view context.
  var user: [Int] { numbers(of: 0) }

  /// The steps of a worker.
  func worker(_ number: Int) -> [Int] { numbers(of: 1 + number) }

  private func numbers(of part: Int) -> [Int] {
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
  /// - Parameter limit: the maximum number of histories that are tried.
  mutating func shrink(limit: Int = 400, _ fails: (RaceSteps) async -> Bool) async {
    var tries = 0
    func canBe(_ shorter: RaceSteps) async -> Bool {
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
