// expect: 'StrataPostgres' is unavailable: give the package the trait
// Without libpq, a program does not only miss the names: it is told of the trait.
import Strata
import StrataPostgres

func prepare(_ entities: [any Entity.Type]) async throws {
  try await StrataPostgres.prepare("host=db", for: entities)
}
