import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataReplica

private struct Stranger: Entity {
  var id = 0
  static let schema = Schema<Stranger>("strangers", key: \.id) {}
}

/// The errors of a replica of a ``ModelServer``.
@Suite(.inTurn) struct SeenReplicaErrorTests {
  private typealias Provoke = @Sendable (Stack) async throws -> Void

  private static let provocations: [(situation: String, provoke: Provoke)] = [
    (
      "the server is another database",
      { stack in
        try await following(ModelServer(seed: 1), stack) { try await $0.caughtUp() }
        try await following(ModelServer(seed: 2), stack) { try await $0.caughtUp() }
      }
    ),
    (
      "an entity is not in the stack",
      { stack in _ = try FollowedTables([.all(Stranger.self)], stack) }
    ),
    (
      "the replica is closed",
      { stack in
        try await following(ModelServer(seed: 1), stack) { replica in
          await replica.close()
          try await replica.caughtUp()
        }
      }
    ),
    (
      "the rows may only be read",
      { stack in
        try await following(ModelServer(seed: 1), stack, isReadOnly: true) { _ in
          try await stack.withScratch { $0.insert(Note(id: 1)) }
        }
      }
    ),
    (
      "the replica pushes the edits",
      { stack in
        try await following(ModelServer(seed: 1), stack) { _ in _ = try await stack.outbox() }
      }
    ),
  ]

  private static func following(
    _ server: ModelServer, _ stack: Stack, isReadOnly: Bool = false,
    _ body: (Replica) async throws -> Void
  ) async throws {
    var options = ReplicaOptions()
    options.isReadOnly = isReadOnly
    let followed = try FollowedTables([.all(Note.self)], stack)
    let replica = try await Replica.open(
      stack, of: followed, options,
      { () async throws(ReplicaError) in try server.connect(followed) },
      pausing: { _ in await Task.yield() })
    do { try await body(replica) } catch {
      await replica.close()
      throw error
    }
    await replica.close()
  }

  private let seen: SeenErrors

  init() throws { seen = try SeenErrors(under: "Following a server") }

  @Test(arguments: provocations.indices)
  func `a replica that fails is told as the article says`(_ index: Int) async throws {
    let (situation, provoke) = Self.provocations[index]
    let stack = try await Stack.temporary([Note.self])
    await seen.check(situation) { try await provoke(stack) }
    await stack.close()
  }

  @Test func `the article has the errors of a replica that are provoked`() {
    seen.check(provoked: Self.provocations.map(\.situation))
  }
}
