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
    let bench = try Bench(repetitions: options.repetitions, peers: peers)
    defer { bench.finish() }
    let report = Report(asJSON: options.asJSON, peers: peers.map(\.name))
    report.begin()
    for workload in options.workloads {
      for figure in try await workload.run(bench) { try report.add(figure, of: workload) }
    }
  } catch {
    fail("\(error)", code: 1)
  }
  exit(0)
}
