import Foundation

/// Runs the benchmark with the options of the command line, and ends the process.
///
/// - Parameter more: workloads without peers, besides `Workload.all`.
@MainActor
func runBenchmark(
  _ program: String, peers: [Peer] = [], more: [Workload] = []
) async -> Never {
  let workloads = Workload.all + more
  func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("\(program): \(message)\n".utf8))
    exit(code)
  }
  let options: Options
  do throws(Options.Failure) {
    options = try Options(CommandLine.arguments.dropFirst(), among: workloads)
  } catch {
    fail("\(error.message); --help lists options and workloads", code: 2)
  }
  if options.wantsHelp {
    print(Options.help(program, workloads))
    exit(0)
  }
  do {
    let earlier = try options.earlier.map { try EarlierRun(path: $0) }
    let report = Report(asJSON: options.asJSON, peers: peers.map(\.name), earlier: earlier)
    try await measure(options, peers, report)
  } catch {
    fail("\(error)", code: 1)
  }
  exit(0)
}

/// Runs the chosen workloads and reports their figures.
///
/// The figures go to standard output, and the progress to a line on standard error.
@MainActor
private func measure(_ options: Options, _ peers: [Peer], _ report: Report) async throws {
  let line = ProgressLine()
  var pace = BenchPace(workloads: options.workloads.count, repetitions: options.repetitions)
  var label = ""
  let bench = try Bench(repetitions: options.repetitions, peers: peers) { repetition in
    pace.begin(repetition: repetition)
    line.show("\(pace.text), \(label)", done: pace.done)
  }
  defer { bench.finish() }
  #if DEBUG
    FileHandle.standardError.write(
      Data(
        "This is a debug build: its figures and ratios mean nothing. Use swift run -c release.\n\n"
          .utf8))
  #endif
  report.begin()
  for workload in options.workloads {
    pace.beginWorkload()
    label = "\(workload.name) \(workload.summary)"
    line.show("\(pace.text), \(label)", done: pace.done)
    let figures = try await workload.run(bench)
    line.clear()
    for figure in figures { try report.add(figure, of: workload.name) }
  }
  line.end()
  report.end()
}
