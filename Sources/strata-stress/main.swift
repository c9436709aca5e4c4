import Foundation

let usage = """
  usage: strata-stress workers [--seconds N] [--workers N] [--mode N] [--seed N]
         strata-stress log [--commits N] [--seed N]
         strata-stress live [--rows N] [--seed N]
         strata-stress processes [--commits N] [--processes N] [--history 0|1] [--kill 0|1]
                                 [--seed N]
         strata-stress openings [--rounds N] [--seed N]
         strata-stress filters [--count N] [--seed N]
         strata-stress numbers [--count N] [--seed N]
         strata-stress registry [--trials N] [--seed N]
         strata-stress crash [--kills N] [--seed N]
         strata-stress power [--losses N] [--seed N]
         strata-stress corruption [--trials N] [--seed N]
         strata-stress leaks [--cycles N] [--seed N]
         strata-stress cancel [--thorough 0|1] [--operation NAME] [--seed N]
         strata-stress soak [--minutes N] [--seconds N] [--workers N] [--seed N]
         strata-stress faults [--thorough 0|1] [--scenario N] [--seed N]
         strata-stress contexts [--histories N] [--minutes N] [--seed N]
         strata-stress server [--seeds N] [--minutes N] [--seed N]
         strata-stress replica [--seconds N] [--replicas N] [--writers N] [--disturbance N] [--seed N]
         strata-stress server-filters [--count N] [--seed N]
         strata-stress server-scenarios
         strata-stress simulate [--seeds N] [--minutes N] [--from N] [--program N] [--threads N] [--tries N]

  workers  Worker actors and the view context against one store for N seconds (5) in each mode, or in
           one: 0 usual, 1 contention, 2 slow observers, 3 cancellation, 4 tiny mailboxes.
           Long form: --seconds 600.
  log      N one-row commits (200,000) under a merging and an idle view context: the size of the
           write-ahead log. Long form: as it is.
  live     An import of N rows (1,000,000) under ten live queries: how long turns of the main actor
           take to come, and how long it is held, in microseconds. Long form: as it is.
  processes  N processes (2) with N commits each (10,000) on one store, with a history (1) or
           without; with --kill 1 the last one is killed in the middle of its work.
           Long form: as it is, with --history 0, and with --kill 1.
  openings  2 to 6 processes open one store at the same moment, N times (1,000): a new store or one of
           an earlier version, with kills; and backups that are put over a store that is open or was
           killed. Long form: as it is.
  filters  N generated filters (200,000), each run by SQLite and in plain Swift, one in three over
           unsaved edits, too. Long form: --count 5000000.
  numbers  N generated numbers (1,000,000), read by the JSON parser and by the standard library.
           Long form: --count 100000000.
  registry  N registries (10,000) that end while changes are on their way to them.
           Long form: as it is.
  crash    Kills a process N times (1,000) while it opens, saves, imports, migrates or checkpoints.
           Long form: as it is.
  power    N losses of power (1,000) with each of the two settings of `synchronous`.
           Long form: as it is.
  corruption  N stores (3,000) with flipped bits, by turns in the root of each table and index, in a
           page of each kind, and anywhere, the log included. Long form: as it is.
  leaks    Opens, uses and closes N stacks (10,000). Long form: as it is.
  cancel   Cancels every call that waits at its n-th moment, for every n (or some of them, with
           --thorough 0): when it goes on, when SQLite calls the file system, when the main actor had
           a turn; every call, or one of them. Long form: as it is.
  soak     One store under a load that never changes, for N minutes (10): memory, log, files, threads,
           the time of hops and how long the main actor is held must not grow.
           Long form: --minutes 60.
  faults   Lets the n-th call of every kind that SQLite makes of the file system fail, for every n
           (or some of them, with --thorough 0), in every scenario or the N-th. Long form: as it is.
  contexts  N random histories (2,000), or those of N minutes, of contexts, children, live queries,
           streams and a second stack, against plain rows. Long form: --minutes 60.
  server   N random histories (2,000), or those of N minutes, of refreshes, pushes, edits and
           kills against a server whose answers go wrong, and against one that gives keys, versions
           and unique numbers and that a script edits, too. Long form: --minutes 60.
  replica  N replicas (2) of a PostgreSQL with N writers (3) for N seconds (20), in rounds. In each,
           something goes wrong: processes are killed, connections end or go silent, the server
           crashes, fails over or gets a backup back, the log is pruned. After each, everything comes
           to rest and is compared. With --disturbance, always the same thing goes wrong, of 0 nothing,
           1 a relaunch, 2 a kill, and so on. It needs the package's trait Postgres and PostgreSQL's programs.
           Long form: --seconds 3600.
  server-filters  N generated filters (2,000), each run by a PostgreSQL, by SQLite and in plain Swift.
           It needs what replica needs. Long form: --count 20000.
  server-scenarios  A truncation during a pull, and tables whose columns change while programs of two
           versions run. It needs what replica needs. Long form: as it is.
  simulate  N histories (2,000), or those of N minutes, each on one thread and in an order that the
           seed decides; N of them at a time (1). The seed picks one of these programs, if none is
           given: 0 workers, a view context and consumers that race, 1 contexts, 2 an app and a
           server, 3 workers in one of their modes, 4 registries, 5 an app and a server that gives keys and
           versions. After a violation it tries N histories with fewer steps (400). Long form: --seeds 1000000 --threads 2.

  On a terminal, the step that runs, the part that is done and the time left stand on standard error.
  Prints the seed, for soak a table, then one JSON line with the number of violated invariants. A run
  in which too little was done to show anything is one. A trap names the seeds that ran. A run with a
  number of histories and a time ends with the first of them. Exits with 1 if there are any violations,
  with 2 for a wrong call.
  """

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("\(message)\n\(usage)\n".utf8))
  exit(2)
}

/// Returns the numbers that are given as `--name N`.
func numbers(_ arguments: ArraySlice<String>, allowed: Set<String>) -> [String: UInt64] {
  var values: [String: UInt64] = [:]
  var rest = arguments
  while let name = rest.popFirst() {
    guard allowed.contains(name) else { fail("unknown option \(name)") }
    guard values[name] == nil else { fail("\(name) is there twice") }
    guard let value = rest.popFirst().flatMap(UInt64.init) else { fail("\(name) takes a number") }
    values[name] = value
  }
  return values
}

/// Returns the limits that `--seeds` or `--histories` and `--minutes` set for a run.
///
/// - Parameter count: the number of histories if there is neither of the options.
func limits(
  _ given: [String: UInt64], _ name: String, _ count: Int?
) -> (count: Int?, seconds: Double?) {
  if given["--minutes"] == 0 { fail("--minutes is at least 1") }
  // A century is as good as no limit.
  let seconds = given["--minutes"].map { Double(min($0, 100 * 365 * 24 * 60)) * 60 }
  return (given[name].map { Int(clamping: $0) } ?? (seconds == nil ? count : nil), seconds)
}

/// Prints the seed and flushes it, because a process that traps loses its buffered output.
func printSeed(_ seed: UInt64) {
  print("seed \(seed)")
  fflush(nil)
}

let arguments = CommandLine.arguments.dropFirst()

/// Runs the mode that the arguments name.
@MainActor
func runMode() async throws -> Report {
  switch arguments.first {
  case "workers":
    let given = numbers(
      arguments.dropFirst(), allowed: ["--seconds", "--workers", "--mode", "--seed"])
    var options = WorkerStress.Options()
    options.seconds = given["--seconds"].map { Double($0) } ?? options.seconds
    if let count = given["--workers"] { options.workers = Array(0..<max(1, Int(clamping: count))) }
    if let number = given["--mode"] {
      guard let mode = WorkerStress.Mode(rawValue: Int(clamping: number)) else {
        fail("there is no mode \(number)")
      }
      options.modes = [mode]
    }
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await WorkerStress(options).run()
  case "log":
    let given = numbers(arguments.dropFirst(), allowed: ["--commits", "--seed"])
    var options = LogStress.Options()
    options.commits = given["--commits"].map { Int(clamping: $0) } ?? options.commits
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await LogStress(options).run()
  case "live":
    let given = numbers(arguments.dropFirst(), allowed: ["--rows", "--seed"])
    var options = LiveStress.Options()
    options.rows = given["--rows"].map { Int(clamping: $0) } ?? options.rows
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await LiveStress(options).run()
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
    printSeed(options.seed)
    return try await ProcessStress(options).run()
  case "openings":
    let given = numbers(arguments.dropFirst(), allowed: ["--rounds", "--seed"])
    var options = OpeningStress.Options()
    options.rounds = given["--rounds"].map { Int(clamping: $0) } ?? options.rounds
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    var stress = OpeningStress(options)
    return try await stress.run()
  case "opening-child":
    try await OpeningChild.run()
    exit(0)
  #if Postgres
    case "replica":
      let given = numbers(
        arguments.dropFirst(),
        allowed: ["--seconds", "--replicas", "--writers", "--disturbance", "--seed"])
      var options = ReplicaStress.Options()
      options.seconds = given["--seconds"].map { Double($0) } ?? options.seconds
      options.replicas = given["--replicas"].map { Int(clamping: $0) } ?? options.replicas
      options.writers = given["--writers"].map { Int(clamping: $0) } ?? options.writers
      if let number = given["--disturbance"] {
        let all = ReplicaDisturbance.allCases
        guard number < all.count else { fail("--disturbance is less than \(all.count)") }
        options.disturbance = all[Int(number)]
      }
      options.seed = given["--seed"] ?? options.seed
      printSeed(options.seed)
      return try await ReplicaStress(options).run()
    case "server-filters":
      let given = numbers(arguments.dropFirst(), allowed: ["--count", "--seed"])
      var options = ServerFilterStress.Options()
      options.count = given["--count"].map { Int(clamping: $0) } ?? options.count
      options.seed = given["--seed"] ?? options.seed
      printSeed(options.seed)
      return try await ServerFilterStress(options).run()
    case "server-scenarios":
      _ = numbers(arguments.dropFirst(), allowed: [])
      var scenarios = try ServerScenarios()
      return try await scenarios.run()
    case "replica-child":
      try await FollowingStore.runChild(Array(arguments.dropFirst()))
      exit(0)
  #endif
  case "filters":
    let given = numbers(arguments.dropFirst(), allowed: ["--count", "--seed"])
    var options = FilterStress.Options()
    options.count = given["--count"].map { Int(clamping: $0) } ?? options.count
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await FilterStress(options).run()
  case "numbers":
    let given = numbers(arguments.dropFirst(), allowed: ["--count", "--seed"])
    var options = NumberStress.Options()
    options.count = given["--count"].map { Int(clamping: $0) } ?? options.count
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try NumberStress(options).run()
  case "registry":
    let given = numbers(arguments.dropFirst(), allowed: ["--trials", "--seed"])
    var options = RegistryStress.Options()
    if let count = given["--trials"] { options.trials = Array(0..<Int(clamping: count)) }
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await RegistryStress(options).run()
  case "faults":
    let given = numbers(
      arguments.dropFirst(), allowed: ["--thorough", "--scenario", "--seed"])
    var options = FaultStress.Options()
    options.isThorough = given["--thorough"].map { $0 != 0 } ?? options.isThorough
    if let number = given["--scenario"] {
      guard number < FaultScenario.allCases.count else { fail("there is no scenario \(number)") }
      options.scenario = FaultScenario.allCases[Int(number)]
    }
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await FaultStress(options).run()
  case "crash":
    let given = numbers(arguments.dropFirst(), allowed: ["--kills", "--seed"])
    var options = CrashStress.Options()
    options.kills = given["--kills"].map { Int(clamping: $0) } ?? options.kills
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await CrashStress(options).run()
  case "power":
    let given = numbers(arguments.dropFirst(), allowed: ["--losses", "--seed"])
    var options = PowerStress.Options()
    options.losses = given["--losses"].map { Int(clamping: $0) } ?? options.losses
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await PowerStress(options).run()
  case "corruption":
    let given = numbers(arguments.dropFirst(), allowed: ["--trials", "--seed"])
    var options = CorruptionStress.Options()
    options.trials = given["--trials"].map { Int(clamping: $0) } ?? options.trials
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await CorruptionStress(options).run()
  case "corruption-child":
    let numbers = arguments.dropFirst().compactMap { UInt64($0) }
    guard numbers.count == 2 else { fail("not by hand") }
    try await CorruptionStress.runChild(seed: numbers[0], trials: Int(clamping: numbers[1]))
    exit(0)
  case "leaks":
    let given = numbers(arguments.dropFirst(), allowed: ["--cycles", "--seed"])
    var options = LeakStress.Options()
    options.cycles = given["--cycles"].map { Int(clamping: $0) } ?? options.cycles
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await LeakStress(options).run()
  case "cancel":
    var rest = arguments.dropFirst()
    var options = CancelStress.Options()
    if let option = rest.firstIndex(of: "--operation") {
      let name = rest[option...].dropFirst().first ?? ""
      options.operation = CancelOperation.all.first { $0.name == name }
      if options.operation == nil { fail("there is no operation \(name)") }
      rest.removeSubrange(option...option + 1)
    }
    let given = numbers(rest, allowed: ["--thorough", "--seed"])
    options.isThorough = given["--thorough"].map { $0 != 0 } ?? options.isThorough
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await CancelStress(options).run()
  case "soak":
    let given = numbers(
      arguments.dropFirst(), allowed: ["--minutes", "--seconds", "--workers", "--seed"])
    var options = SoakStress.Options()
    options.seconds =
      given["--seconds"].map { Double($0) } ?? given["--minutes"].map { Double($0) * 60 }
      ?? options.seconds
    options.workers = given["--workers"].map { max(1, Int(clamping: $0)) } ?? options.workers
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await SoakStress(options).run()
  case "contexts":
    let given = numbers(arguments.dropFirst(), allowed: ["--histories", "--minutes", "--seed"])
    var options = ContextStress.Options()
    (options.histories, options.seconds) = limits(given, "--histories", options.histories)
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await ContextStress(options).run()
  case "server":
    let given = numbers(arguments.dropFirst(), allowed: ["--seeds", "--minutes", "--seed"])
    var options = ServerStress.Options()
    (options.seeds, options.seconds) = limits(given, "--seeds", options.seeds)
    options.seed = given["--seed"] ?? options.seed
    printSeed(options.seed)
    return try await ServerStress(options).run()
  case "simulate":
    let given = numbers(
      arguments.dropFirst(),
      allowed: ["--seeds", "--minutes", "--from", "--program", "--threads", "--tries"])
    var options = SimulateStress.Options()
    if let number = given["--program"] {
      let all = SimulateStress.Program.allCases
      guard number < all.count else { fail("there is no program \(number)") }
      options.program = all[Int(number)]
    }
    options.threads = given["--threads"].map { Int(clamping: $0) } ?? options.threads
    (options.seeds, options.seconds) = limits(given, "--seeds", options.seeds)
    options.from = given["--from"] ?? options.from
    options.tries = given["--tries"].map { Int(clamping: $0) } ?? options.tries
    SimulateStress.restartWithFixedHashing()
    printSeed(options.from)
    return await SimulateStress(options).run()
  case "crash-child":
    guard let options = CrashChild.Options(arguments.dropFirst()) else { fail("not by hand") }
    var child = CrashChild(options)
    try await child.run()
    exit(0)
  case "child":
    guard let options = ChildProcess.Options(arguments.dropFirst()) else { fail("not by hand") }
    try await ChildProcess(options).run()
    exit(0)
  case "--help":
    print(usage)
    exit(0)
  case let mode: fail(mode.map { "unknown mode \($0)" } ?? "no mode given")
  }
}

var report: Report
do {
  report = try await runMode()
} catch {
  // A child ends with its error, so that the parent process sees it.
  if arguments.first?.hasSuffix("child") == true { throw error }
  // An unexpected error is a violation. The seed and this line tell where it happened.
  report = Report(mode: arguments.first ?? "")
  report.violations.append("ended by \(error)")
}
ProgressLine.shared.end()
for violation in report.violations.prefix(100) {
  FileHandle.standardError.write(Data("\(violation)\n".utf8))
}
print(report.json)
exit(report.violations.isEmpty ? 0 : 1)
