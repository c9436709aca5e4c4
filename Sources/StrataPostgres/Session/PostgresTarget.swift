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
    private typealias Option = (name: String, value: String)

    private let target: String
    private let options: [Option]

    /// - Parameters:
    ///   - target: a connection string or a URI, as libpq reads it.
    ///   - patience: the time in milliseconds after which a server that says nothing counts as gone.
    init(_ target: String, patience: Int32) {
      self.target = target
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
    /// - Throws: ``ReplicaError`` with code `unreachable`, `refused` if the server does not take the
    ///   connection, or `unsuitableServer` if libpq cannot read the connection string.
    func connect(_ interruption: Interruption) throws(ReplicaError) -> OpaquePointer {
      try check()
      var hosts: [Option] = []
      var attempts = 1
      while true {
        let connection = try connection(hosts)
        do throws(ReplicaError) {
          try Self.wait(for: connection, interruption)
          return connection
        } catch {
          let list = HostList(connection)
          PQfinish(connection)
          // libpq tries the next host if a host refuses, and not if a host is silent.
          guard error.isSilence, attempts < list.count else { throw error }
          hosts = list.nextFirst
          attempts += 1
        }
      }
    }

    private func check() throws(ReplicaError) {
      try ReplicaError.check(target: target)
      // A text without `=` is the name of a database.
      guard target.contains("=") || target.contains("://") else { return }
      var reason: UnsafeMutablePointer<CChar>?
      if let options = PQconninfoParse(target, &reason) { return PQconninfoFree(options) }
      defer { PQfreemem(reason) }
      throw .unreadableTarget(
        reason.map { String(cString: $0).split(separator: "\n").first.map(String.init) ?? "" })
    }

    /// Begins to connect.
    private func connection(_ hosts: [Option]) throws(ReplicaError) -> OpaquePointer {
      let all = options + hosts
      let connection = PostgresSession.withPointers(all.map(\.name) + [nil]) { names in
        PostgresSession.withPointers(all.map(\.value) + [nil]) {
          PQconnectStartParams(names, $0, 1)
        }
      }
      guard let connection else { throw .lost(nil) }
      // The code of an error stands only in the message, and only in its long form.
      PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
      return connection
    }

    /// Waits until a connection is open.
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
        case PGRES_POLLING_OK:
          PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
          // Warnings of the server would be printed.
          PQsetNoticeProcessor(connection, { _, _ in }, nil)
          // A statement that the server does not read must not block, so that the session can be ended.
          PQsetnonblocking(connection, 1)
          return
        default: throw .notConnected(connection)
        }
      }
      throw .notConnected(connection)
    }

    /// The time that each step of connecting may take, from the option `connect_timeout`.
    private static func timeout(of connection: OpaquePointer) -> Duration {
      guard let value = HostList.value("connect_timeout", of: connection), let seconds = Int(value)
      else { return .seconds(10) }
      return seconds <= 0 ? .seconds(3_600) : .seconds(max(2, seconds))
    }

    /// The hosts of a connection string, each with its address and port.
    private struct HostList {
      private static let names = ["host", "hostaddr", "port"]
      private let lists: [(name: String, values: [Substring])]

      init(_ connection: OpaquePointer) {
        lists = Self.names.compactMap { name in
          Self.value(name, of: connection).map { value in
            (name, value.split(separator: ",", omittingEmptySubsequences: false))
          }
        }
      }

      /// The number of hosts.
      var count: Int { lists.map(\.values.count).max() ?? 1 }

      /// The options that try the first host last.
      var nextFirst: [Option] {
        // A list with one value is for all hosts.
        lists.filter { $0.values.count == count }.map { name, values in
          (name, (values[1...] + values[..<1]).joined(separator: ","))
        }
      }

      /// Returns the value of an option of a connection; nil if it has none.
      static func value(_ name: String, of connection: OpaquePointer) -> String? {
        guard let options = PQconninfo(connection) else { return nil }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
          if String(cString: keyword) == name {
            return option.pointee.val.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
          }
          option += 1
        }
        return nil
      }
    }
  }
#endif
