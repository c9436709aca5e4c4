import Foundation

let arguments = CommandLine.arguments.dropFirst()

/// Runs the process as a child of a command, if the arguments say so. A child ends with its error, so that
/// its parent sees it.
@MainActor
func runChild() async throws {
  switch arguments.first {
  case "child":
    guard let options = ChildProcess.Options(arguments.dropFirst()) else { fail("not by hand") }
    try await ChildProcess(options).run()
  case "crash-child":
    guard let options = CrashChild.Options(arguments.dropFirst()) else { fail("not by hand") }
    var child = CrashChild(options)
    try await child.run()
  case "corruption-child":
    let numbers = arguments.dropFirst().compactMap { UInt64($0) }
    guard numbers.count == 2 else { fail("not by hand") }
    try await CorruptionStress.runChild(seed: numbers[0], trials: Int(clamping: numbers[1]))
  case "opening-child":
    try await OpeningChild.run()
  #if Postgres
    case "replica-child":
      try await FollowingStore.runChild(Array(arguments.dropFirst()))
  #endif
  default: return
  }
  exit(0)
}

try await runChild()
if arguments.first == "--help" {
  print(StressCommand.help)
  exit(0)
}
let command = StressCommand.named(arguments.first)
let options = StressOptions(arguments.dropFirst(), of: command)
var report: Report
do {
  report = try await command.run(options)
} catch {
  // An unexpected error is a violation. The seed and this line tell where it happened.
  report = Report(mode: command.name)
  report.violations.append("ended by \(error)")
}
ProgressLine.shared.end()
for violation in report.violations.prefix(100) {
  FileHandle.standardError.write(Data("\(violation)\n".utf8))
}
print(report.sentence)
print(report.json)
exit(report.violations.isEmpty ? 0 : 1)
