#if Postgres
  internal import CStrataPostgres
  internal import StrataReplica

  extension ReplicaError {
    /// The error of a connection that is gone.
    static func lost(_ connection: OpaquePointer?) -> ReplicaError {
      ReplicaError(
        .unreachable, "PostgreSQL: \(text(connection))",
        advice: retrying)
    }

    private static let retrying =
      "the replica tries again; check the server and the network if this goes on"

    /// The error of a server that does not answer, such as behind a proxy that lost it.
    static let silent = ReplicaError(
      .unreachable, "PostgreSQL does not answer", advice: retrying)

    /// Whether the error is ``silent``.
    var isSilence: Bool { code == .unreachable && message == Self.silent.message }

    /// The error of an attempt to connect, with the code by which the server refuses it.
    static func notConnected(_ connection: OpaquePointer) -> ReplicaError {
      let all = String(cString: PQerrorMessage(connection))
      // A line such as `FATAL:  28P01: …`, in any language.
      guard let refusal = all.matches(of: /.*:  (?<state>[0-9A-Z]{5}): .*/).last else {
        return lost(connection)
      }
      let state = String(refusal.state)
      return ReplicaError(
        isGone(state) ? .unreachable : .refused,
        "PostgreSQL: \(refusal.0.replacing("\(state): ", with: ""))", advice: advice(state),
        sqlState: state)
    }

    static func failed(_ result: OpaquePointer, _ connection: OpaquePointer?) -> ReplicaError {
      guard let state = field("C", of: result) else { return lost(connection) }
      let message = field("M", of: result) ?? text(connection)
      var error = ReplicaError(
        isGone(state) ? .unreachable : .refused, "PostgreSQL: \(message)",
        advice: field("H", of: result) ?? advice(state), sqlState: state)
      error.constraint = field("n", of: result)
      return error
    }

    /// Returns whether a code says that the connection or the server goes.
    private static func isGone(_ state: String) -> Bool {
      state.hasPrefix("08") || state.hasPrefix("57P") || state == "53300"
    }

    /// Returns what to do about an error for which the server has no hint.
    private static func advice(_ state: String) -> String {
      switch state {
      case "28P01": "check the password: it is in the connection string, PGPASSWORD or ~/.pgpass"
      case "28000": "check the role in the connection string, and the server's pg_hba.conf"
      case "3D000": "check dbname in the connection string, or create the database and prepare it"
      case "42501":
        "GRANT the role strata_client, and SELECT, INSERT, UPDATE and DELETE on the replica's tables"
      case "25006": "connect to a server that takes writes: target_session_attrs=read-write"
      case "53300": "raise the server's max_connections, or close other connections"
      case "53100": "make room on the server's disk"
      case "55P03":
        "end the transaction that holds the table (pg_stat_activity, pg_prepared_xacts), or try again"
      case "57014": "raise the role's statement_timeout"
      case let state where isGone(state): retrying
      default: "see the server's log"
      }
    }

    /// The error as the owner of the tables gets it, who prepares them.
    var ofOwner: ReplicaError {
      let advice: String? =
        if sqlState == "42501" {
          "prepare as the owner of the tables, who may create schemas in the database"
        } else if code == .unreachable {
          "check the server and the network, then prepare again"
        } else {
          nil
        }
      guard let advice else { return self }
      return ReplicaError(code, message, advice: advice, sqlState: sqlState)
    }

    private static func field(_ code: Character, of result: OpaquePointer) -> String? {
      let code = Int32(code.asciiValue ?? 0)
      return PQresultErrorField(result, code).map { String(cString: $0) }
    }

    private static func text(_ connection: OpaquePointer?) -> String {
      let text = connection.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
      return text.split(separator: "\n").first.map(String.init) ?? "the connection is lost"
    }
  }
#endif
