/// The names of the commands that need the trait Postgres.
enum PostgresCommand: String, CaseIterable {
  case replica
  case filters = "server-filters"
  case scenarios = "server-scenarios"

  /// The command; nil without the trait.
  @MainActor var command: StressCommand? {
    #if Postgres
      switch self {
      case .replica: ReplicaStress.command
      case .filters: ServerFilterStress.command
      case .scenarios: ServerScenarios.command
      }
    #else
      nil
    #endif
  }
}
