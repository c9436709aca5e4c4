public import Foundation

/// The work and the state of a replica, for a log or a report.
///
/// ```swift
/// print(await replica.diagnostics)
/// ```
public struct ReplicaDiagnostics: Sendable {
  /// The work of the replica, and the numbers of edits that wait.
  public let state: ReplicaState
  /// Identifies the replica on the server, in `strata.client`.
  public let client: UUID
  /// The number of the last push that the server confirmed.
  public let lastPush: Int64
  /// Whether the outcome of a push is not known yet.
  public let isPushing: Bool
  /// Identifies the server: its cluster, database and timeline; nil until all rows were read once.
  public let server: String?
  /// The snapshot of the server that the store has (`pg_snapshot`); nil until all rows were read once.
  public let snapshot: String?
  /// The number of pulls that found rows, since the opening.
  public let pulls: Int
  /// The number of pushes that the server committed, since the opening.
  public let pushes: Int
  /// The number of times that the reading of all rows began, since the opening.
  public let copies: Int
  /// The number of connections, since the opening.
  public let connections: Int
  /// The end of the last pull; nil before the first.
  public let lastPull: Date?
  /// The last error of the connection, with its time; nil if there was none.
  public let lastError: (error: ReplicaError, date: Date)?
  /// The rules of the entities that the server does not enforce, as far as the connection has found; empty
  /// while there is no connection.
  public let missingConstraints: [MissingConstraint]
  /// Whether the server was prepared by an earlier version of Strata: it does not tell of replaced rows
  /// (``Replica/replacedRows``) until `prepare` runs again. False while there is no connection.
  public let isServerOfEarlierVersion: Bool
}

extension ReplicaDiagnostics: CustomStringConvertible {
  public var description: String {
    let lines: [String?] =
      [
        "replica \(client): \(state.phase), \(state.waiting) waiting, \(state.refused) refused",
        state.withheld == 0 ? nil : "\(state.withheld) rows of the server withheld",
        state.pushFailure.map { "no push: \($0)" },
        "server \(server ?? "unknown") at \(snapshot ?? "no snapshot")",
        "push \(lastPush)\(isPushing ? ", the next is under way" : "")",
        "\(pulls) pulls, \(pushes) pushes, \(copies) copies, \(connections) connections",
        "last pull \(lastPull.map { "\($0)" } ?? "none")",
        lastError.map { "last error at \($0.date): \($0.error)" },
        isServerOfEarlierVersion
          ? "the server does not tell of replaced rows: an earlier version has prepared it" : nil,
      ] + missingConstraints.map { "the server does not enforce \($0)" }
    return lines.compactMap(\.self).joined(separator: "\n")
  }
}

extension Replica {
  /// The work and the state of the replica.
  public var diagnostics: ReplicaDiagnostics {
    ReplicaDiagnostics(
      state: monitor.state, client: state.push.client, lastPush: state.push.confirmed,
      isPushing: state.push.push != nil, server: state.cursor?.text("server"),
      snapshot: state.cursor?.text("snapshot"), pulls: counters.pulls, pushes: counters.pushes,
      copies: counters.copies, connections: counters.connections, lastPull: counters.lastPull,
      lastError: counters.lastError, missingConstraints: missingConstraints,
      isServerOfEarlierVersion: isOnEarlierVersion)
  }
  /// The number of pulls that found rows.
  package var pulls: Int { counters.pulls }
  /// The number of pushes that the server committed.
  package var pushes: Int { counters.pushes }
  /// The number of times that the reading of all rows began.
  package var copies: Int { counters.copies }
}
