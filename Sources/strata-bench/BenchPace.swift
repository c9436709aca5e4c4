/// The position in a run of the benchmark.
///
/// A workload may repeat several comparisons, and does not tell how many. So each repetition of a
/// workload counts for half of the part of it that is left.
struct BenchPace {
  private let workloads: Int
  private let repetitions: Int
  private var workload = 0
  private var repetition = 0
  private var part = 0.0

  init(workloads: Int, repetitions: Int) {
    self.workloads = workloads
    self.repetitions = repetitions
  }

  mutating func beginWorkload() {
    workload += 1
    (repetition, part) = (0, 0)
  }

  /// Begins a repetition, 0 for the warm-up.
  mutating func begin(repetition: Int) {
    self.repetition = repetition
    let share = 1 / Double(repetitions + 1) / 2
    if repetition > 0 { part += (1 - part) * share }
  }

  var text: String {
    let step = repetition == 0 ? "warm-up" : "repetition \(repetition) of \(repetitions)"
    return "workload \(workload) of \(workloads), \(step)"
  }

  /// The part of the run that is done, from 0 to 1.
  var done: Double { (Double(max(0, workload - 1)) + part) / Double(max(1, workloads)) }
}
