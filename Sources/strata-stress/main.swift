import Foundation

let usage = """
  usage: strata-stress workers [--seconds N] [--workers N] [--seed N]
         strata-stress log [--commits N] [--seed N]

  workers  Worker actors and the view context against one store for N seconds (5).
  log      N one-row commits (200,000) under a merging and an idle view context: the size of the
           write-ahead log.

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
case "--help":
  print(usage)
  exit(0)
case let mode: fail(mode.map { "unknown mode \($0)" } ?? "no mode given")
}
print(report.json)
exit(report.violations.isEmpty ? 0 : 1)
