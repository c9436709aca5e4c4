import Foundation

let usage = """
  usage: strata-stress workers [--seconds N] [--workers N] [--seed N]
         strata-stress log [--commits N] [--seed N]
         strata-stress live [--rows N] [--seed N]
         strata-stress processes [--commits N] [--processes N] [--history 0|1] [--kill 0|1]
                                 [--seed N]
         strata-stress filters [--count N] [--seed N]
         strata-stress numbers [--count N] [--seed N]
         strata-stress registry [--trials N] [--seed N]

  workers  Worker actors and the view context against one store for N seconds (5).
  log      N one-row commits (200,000) under a merging and an idle view context: the size of the
           write-ahead log.
  live     An import of N rows (1,000,000) under ten live queries: how long turns of the main actor
           take to come, and how long it is held, in microseconds.
  processes  N processes (2) with N commits each (10,000) on one store, with a history (1) or
           without; with --kill 1 the last one is killed in the middle of its work.
  filters  N generated filters (200,000), each run by SQLite and in plain Swift, one in three over
           unsaved edits, too.
  numbers  N generated numbers (1,000,000), read by the JSON parser and by the standard library.

  Prints the seed, then one JSON line with the number of violated invariants. Exits with 1 if
  there are any, with 2 for a wrong call.
  """

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\(message)\n\(usage)\n".utf8))
  exit(2)
}

/// The numbers given as `--name N`.
func numbers(_ arguments: ArraySlice<String>, allowed: Set<String>) -> [String: UInt64] {
  var values: [String: UInt64] = [:]
  var rest = arguments
  while let name = rest.popFirst() {
    guard allowed.contains(name) else { fail("unknown option \(name)") }
    guard let value = rest.popFirst().flatMap(UInt64.init) else { fail("\(name) takes a number") }
    values[name] = value
  }
  return values
}

let arguments = CommandLine.arguments.dropFirst()
let report: Report
switch arguments.first {
case "workers":
  let given = numbers(arguments.dropFirst(), allowed: ["--seconds", "--workers", "--seed"])
  var options = WorkerStress.Options()
  options.seconds = given["--seconds"].map { Double($0) } ?? options.seconds
  options.workers = given["--workers"].map { max(1, Int(clamping: $0)) } ?? options.workers
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await WorkerStress(options).run()
case "log":
  let given = numbers(arguments.dropFirst(), allowed: ["--commits", "--seed"])
  var options = LogStress.Options()
  options.commits = given["--commits"].map { Int(clamping: $0) } ?? options.commits
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await LogStress(options).run()
case "live":
  let given = numbers(arguments.dropFirst(), allowed: ["--rows", "--seed"])
  var options = LiveStress.Options()
  options.rows = given["--rows"].map { Int(clamping: $0) } ?? options.rows
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await LiveStress(options).run()
case "processes":
  let given = numbers(
    arguments.dropFirst(),
    allowed: ["--commits", "--processes", "--history", "--kill", "--seed"])
  var options = ProcessStress.Options()
  options.commits = given["--commits"].map { Int(clamping: $0) } ?? options.commits
  options.processes = given["--processes"].map { max(1, Int(clamping: $0)) } ?? options.processes
  options.keepsHistory = given["--history"].map { $0 != 0 } ?? options.keepsHistory
  options.kills = given["--kill"].map { $0 != 0 } ?? options.kills
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await ProcessStress(options).run()
case "filters":
  let given = numbers(arguments.dropFirst(), allowed: ["--count", "--seed"])
  var options = FilterStress.Options()
  options.count = given["--count"].map { Int(clamping: $0) } ?? options.count
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await FilterStress(options).run()
case "numbers":
  let given = numbers(arguments.dropFirst(), allowed: ["--count", "--seed"])
  var options = NumberStress.Options()
  options.count = given["--count"].map { Int(clamping: $0) } ?? options.count
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try NumberStress(options).run()
case "registry":
  let given = numbers(arguments.dropFirst(), allowed: ["--trials", "--seed"])
  var options = RegistryStress.Options()
  options.trials = given["--trials"].map { Int(clamping: $0) } ?? options.trials
  options.seed = given["--seed"] ?? options.seed
  print("seed \(options.seed)")
  report = try await RegistryStress(options).run()
case "child":
  guard let options = ChildProcess.Options(arguments.dropFirst()) else { fail("not by hand") }
  try await ChildProcess(options).run()
  exit(0)
case "--help":
  print(usage)
  exit(0)
case let mode: fail(mode.map { "unknown mode \($0)" } ?? "no mode given")
}
print(report.json)
exit(report.violations.isEmpty ? 0 : 1)
