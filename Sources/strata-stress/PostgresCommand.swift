/// The names of the commands that need the trait Postgres.
enum PostgresCommand: String, CaseIterable {
  case replica
  case filters = "server-filters"
  case scenarios = "server-scenarios"
}
