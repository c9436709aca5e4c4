extension PostgresCommand {
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
