/// The options of the command line.
struct Options {
  var workloads: [Workload]
  var repetitions = 5
  var asJSON = false
  /// The file of an earlier run.
  var earlier: String?
  var wantsHelp = false

  /// An error in the command line.
  struct Failure: Error { let message: String }

  init(_ arguments: some Sequence<String>, among all: [Workload]) throws(Failure) {
    workloads = all.filter { !$0.isLong }
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--only": workloads = try Self.workloads(arguments.next(), among: all)
      case "--reps": repetitions = try Self.count(arguments.next())
      case "--json": asJSON = true
      case "--compare":
        earlier = arguments.next()
        if earlier == nil { throw Failure(message: "--compare needs a file") }
      case "--help", "-h": wantsHelp = true
      default: throw Failure(message: "unknown option \(argument)")
      }
    }
  }

  private static func workloads(
    _ names: String?, among all: [Workload]
  ) throws(Failure) -> [Workload] {
    guard let names else { throw Failure(message: "--only needs the names of workloads") }
    var chosen: [Workload] = []
    for name in names.split(separator: ",", omittingEmptySubsequences: false) {
      guard let workload = all.first(where: { $0.name == name }) else {
        throw Failure(message: "unknown workload \"\(name)\"")
      }
      chosen.append(workload)
    }
    return chosen
  }

  private static func count(_ text: String?) throws(Failure) -> Int {
    guard let text, let count = Int(text), count > 0 else {
      throw Failure(message: "--reps needs a number above 0")
    }
    return count
  }

  static func help(_ program: String, _ workloads: [Workload]) -> String {
    let list = workloads.map { "  \($0.name)  \($0.summary)\($0.isLong ? " (long)" : "")" }
      .joined(separator: "\n")
    return """
      Usage: \(program) [options]

      Measures Strata beside SQLite's C interface, and what else there is, in one process and in
      turns.

      Options:
        --only W1,W3    only these workloads; without it, all but the long ones
        --reps N        measured repetitions, after one that is not counted (default 5)
        --json          one JSON object a line instead of a table
        --compare FILE  a column with the ratio to an earlier run, which --json wrote to FILE
        --help          this text

      Workloads:
      \(list)
      """
  }
}
