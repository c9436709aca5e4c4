extension Report {
  /// Runs the histories of seeds until five have violations, and adds their counts and violations.
  ///
  /// - Parameters:
  ///   - name: the name of a history in violations.
  ///   - run: runs the history of a seed, and returns its counts.
  /// - Returns: the number of histories.
  @MainActor
  mutating func runHistories(
    _ seeds: Seeds, named name: String, _ run: (UInt64, StepLog) async throws -> Report
  ) async -> Int {
    let watchdog = Watchdog(mode: mode)
    defer { watchdog.end() }
    var seeds = seeds
    var number = 0
    while violations.count < 5, let seed = seeds.next() {
      number += 1
      let log = StepLog()
      watchdog.begin("\(name) \(seed)", done: seeds.done, log)
      do {
        counts.merge(try await run(seed, log).counts, uniquingKeysWith: +)
      } catch {
        violations.append(log.words("\(name) \(seed): \(error)"))
      }
    }
    return number
  }
}
