import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataPostgres
@testable import StrataReplica

/// The errors of a server that a replica cannot follow.
@Suite(.inTurn) struct SeenServerErrorTests {
  private typealias Provoke = @Sendable () throws -> Void

  private static let provocations: [(situation: String, provoke: Provoke)] = [
    ("the address is misspelt", { try ReplicaError.check(target: "postgres//db:5432") }),
    ("a table is not prepared", { try changed { $0.with(name: "tracks") } }),
    ("a table is not watched", { try changed { $0.with(unseen: "songs_2026") } }),
    (
      "a column has another type",
      { try changed { $0.with(columns: $0.columns.replacing("701 float8", with: "1700 numeric")) } }
    ),
  ]

  private static func changed(_ change: (ServerShape) -> ServerShape) throws {
    var library = try Library()
    library.change("songs", change)
    _ = try library.tables()
  }

  private let seen: SeenErrors

  init() throws { seen = try SeenErrors(under: "PostgreSQL") }

  @Test(arguments: provocations.indices)
  func `a server that cannot be followed is told as the article says`(_ index: Int) async {
    let (situation, provoke) = Self.provocations[index]
    await seen.check(situation) { try provoke() }
  }

  @Test func `the article has the errors of a server that are provoked`() {
    seen.check(provoked: Self.provocations.map(\.situation))
  }

  @Test(arguments: [
    "", "app", "host=db dbname=app", "postgresql://db/app", "postgres://user:secret@db:5432/app",
    "service=app",
  ])
  func `an address in a form of libpq is taken`(_ target: String) throws {
    try ReplicaError.check(target: target)
  }

  @Test(arguments: ["postgres//db", "postgres:/db/app", "db:5432", "user@db", "http://db"])
  func `a text that only looks like an address is no name of a database`(_ target: String) {
    let error = failure { try ReplicaError.check(target: target) }
    #expect(error?.code == .unsuitableServer)
  }
}
