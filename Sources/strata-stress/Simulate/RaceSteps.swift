/// The number of steps of each part of a history, which shrinks to show a violation.
struct RaceSteps: Sendable, CustomStringConvertible {
  /// The parts: the user of the view context, three workers, and the worker of the other stack.
  private(set) var parts = [30, 25, 25, 25, 25]

  var user: Int { parts[0] }

  func worker(_ number: Int) -> Int { parts[1 + number] }

  var description: String { "steps \(parts)" }

  /// Removes steps as long as the history still fails.
  ///
  /// Each part keeps its first steps. The greedy order is that of delta debugging (Zeller and
  /// Hildebrandt, 2002): first whole parts, then halves, then single steps.
  ///
  /// - Parameter limit: the maximum number of histories that are tried.
  mutating func shrink(limit: Int = 150, _ fails: (RaceSteps) async -> Bool) async {
    var tries = 0
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for part in parts.indices {
        for count in [0, parts[part] / 2, parts[part] - 1] where count >= 0 && count < parts[part] {
          if tries == limit { return }
          tries += 1
          var shorter = self
          shorter.parts[part] = count
          if await fails(shorter) {
            self = shorter
            isSmaller = true
            break
          }
        }
      }
    }
  }
}
