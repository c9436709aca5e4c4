extension StressCommand {
  @MainActor static let all: [StressCommand] =
    [
      WorkerStress.command, LogStress.command, LiveStress.command, TurnStress.command,
      ProcessStress.command,
      OpeningStress.command, FilterStress.command, NumberStress.command, RegistryStress.command,
      CrashStress.command, PowerStress.command, CorruptionStress.command, LeakStress.command,
      CancelStress.command, SoakStress.command, FaultStress.command, ContextStress.command,
      ServerStress.command, SimulateStress.command,
    ] + PostgresCommand.allCases.compactMap(\.command)

  /// Returns the command with a name. Ends the program if there is none.
  @MainActor static func named(_ name: String?) -> StressCommand {
    if let command = all.first(where: { $0.name == name }) { return command }
    let names = all.map(\.name).joined(separator: ", ")
    guard let name else { fail("no command is given; it is one of \(names)") }
    if PostgresCommand(rawValue: name) != nil {
      fail(
        "\(name) needs the trait Postgres: "
          + "swift run -c release --traits Postgres strata-stress \(name)")
    }
    fail("there is no command \(name); it is one of \(names)")
  }

  /// The help of all commands.
  @MainActor static var help: String {
    all.map { $0.usage + "\n" }.joined() + """
      On a terminal, the step that runs, the part that is done and the time left stand on standard
      error. Prints the seed, for soak a table, then a sentence, and then one JSON line with the
      number of violated invariants. A run in which too little was done to show anything is one. A
      trap names the seeds that ran. A run with a number of histories and a time ends with the first
      of them. Exits with 1 if there are any violations, with 2 for a wrong call.
      """
  }
}
