#if Postgres
  internal import CStrataPostgres
  internal import Strata
  internal import StrataReplica

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #else
    internal import Darwin
  #endif

  /// A connection string with the options that every connection of Strata has.
  struct PostgresTarget {
    private let options: [(name: String, value: String)]

    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - patience: the time in milliseconds after which a server that says nothing counts as gone.
    init(_ target: String, patience: Int32) {
      // An option of the target overrides the options in front of it, and none behind it. The
      // environment decides only about options that are not here.
      options = [
        ("application_name", "strata"), ("connect_timeout", "10"), ("keepalives_idle", "10"),
        ("tcp_user_timeout", "\(patience)"), ("dbname", target), ("client_encoding", "UTF8"),
      ]
    }

    /// Connects, and waits for it.
    ///
    /// - Parameter interruption: ends the wait earlier.
    /// - Throws: ``ReplicaError`` with code `unreachable`, or `refused` if the server does not take the
    ///   connection.
    func connect(_ interruption: Interruption) throws(ReplicaError) -> OpaquePointer {
      let begin = ContinuousClock.now
      guard let connection = withOptions({ PQconnectStartParams($0, $1, 1) }) else {
        throw .lost(nil)
      }
      do throws(ReplicaError) { try Self.wait(for: connection, interruption) } catch {
        PQfinish(connection)
        throw error
      }
      guard PQstatus(connection) == CONNECTION_OK else {
        defer { PQfinish(connection) }
        // A server that refuses a connection answers soon.
        let answers = .now - begin < .seconds(3)
        throw .notConnected(connection, sqlState: answers ? refusal() : nil)
      }
      // Warnings of the server would be printed.
      PQsetNoticeProcessor(connection, { _, _ in }, nil)
      // A statement that the server does not read must not block, so that the session can be ended.
      PQsetnonblocking(connection, 1)
      return connection
    }

    /// Waits until a connection is open or refused.
    private static func wait(
      for connection: OpaquePointer, _ interruption: Interruption
    ) throws(ReplicaError) {
      let patience = timeout(of: connection)
      var events = Int16(POLLOUT)
      while PQstatus(connection) != CONNECTION_BAD {
        try interruption.wait(for: PQsocket(connection), events, atMost: patience)
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: events = Int16(POLLIN)
        case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
        default: return
        }
      }
    }

    /// The time that each step of connecting may take, from the option `connect_timeout`.
    private static func timeout(of connection: OpaquePointer) -> Duration {
      guard let options = PQconninfo(connection) else { return .seconds(10) }
      defer { PQconninfoFree(options) }
      var option = options
      while let keyword = option.pointee.keyword {
        if String(cString: keyword) == "connect_timeout", let value = option.pointee.val,
          let seconds = Int(String(cString: value))
        {
          return seconds <= 0 ? .seconds(3_600) : .seconds(max(2, seconds))
        }
        option += 1
      }
      return .seconds(10)
    }

    private func withOptions<Result>(
      _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Result
    ) -> Result {
      PostgresSession.withPointers(options.map(\.name) + [nil]) { names in
        PostgresSession.withPointers(options.map(\.value) + [nil]) { body(names, $0) }
      }
    }

    /// Connects again to learn with which code (SQLSTATE) the server refuses it; nil if no server answers.
    ///
    /// libpq tells the code only in a form of its message that is chosen while the attempt is under way.
    private func refusal() -> String? {
      guard let connection = withOptions({ PQconnectStartParams($0, $1, 1) }) else { return nil }
      defer { PQfinish(connection) }
      PQsetErrorVerbosity(connection, PQERRORS_SQLSTATE)
      var isReading = false
      for _ in 0..<100 where PQstatus(connection) != CONNECTION_BAD {
        var descriptor = pollfd(
          fd: PQsocket(connection), events: Int16(isReading ? POLLIN : POLLOUT), revents: 0)
        if poll(&descriptor, 1, 3_000) <= 0 { return nil }
        switch PQconnectPoll(connection) {
        case PGRES_POLLING_READING: isReading = true
        case PGRES_POLLING_WRITING: isReading = false
        case PGRES_POLLING_OK: return nil
        default: return Self.sqlState(in: String(cString: PQerrorMessage(connection)))
        }
      }
      return Self.sqlState(in: String(cString: PQerrorMessage(connection)))
    }

    /// Returns the code at the end of a message such as `FATAL:  28P01`, in any language.
    static func sqlState(in message: String) -> String? {
      let last = message.split(whereSeparator: \.isWhitespace).last.map(String.init) ?? ""
      let isCode =
        last.utf8.count == 5
        && last.utf8.allSatisfy { byte in
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
      return isCode ? last : nil
    }
  }
#endif
