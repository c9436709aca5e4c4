#if Postgres
  package import Foundation

  /// A PostgreSQL of its own, in a folder that goes with it.
  @MainActor
  package final class PostgresCluster {
    package struct Failure: Error, CustomStringConvertible {
      package let description: String

      package init(description: String) { self.description = description }
    }

    package let folder: URL
    private let programs: String
    /// The words before each command; PostgreSQL does not run as root.
    private let user: [String]
    private var servers: [Int: SpawnedProgram] = [:]
    /// The process that sends commits to the standby, once it is stopped.
    private var sender: Int32?
    /// The port of the primary. The standby has the other one of two.
    private var port = 5432
    private var otherPort: Int { 5432 + 5433 - port }

    /// The connection string of the owner of everything. It finds the primary also after a failover.
    package var target: String { target() }

    /// The connection string of a role for a database of the cluster.
    package func target(_ database: String = "postgres", user: String = "postgres") -> String {
      "host=\(folder.path),\(folder.path) port=5432,5433 dbname=\(database) user=\(user) "
        + "target_session_attrs=read-write"
    }

    /// Makes a cluster and starts it.
    package init() throws {
      folder = URL(fileURLWithPath: "/tmp/strata-pg-\(UUID().uuidString.prefix(8))")
      let folders = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
      let newest = folders?.compactMap { Int($0) }.max()
      programs = newest.map { "/usr/lib/postgresql/\($0)/bin/" } ?? ""
      user = getuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
      try SpawnedProgram.run(user + ["mkdir", "-m", "700", folder.path])
      try SpawnedProgram.run(
        user + [
          programs + "initdb", "-D", data(port), "-U", "postgres", "-A", "trust", "-N", "-E",
          "UTF8",
        ])
      try start()
    }

    private func data(_ port: Int) -> String { "\(folder.path)/data-\(port)" }

    /// Starts the server, and waits until it answers.
    package func start() throws { try start(port) }

    private func start(_ port: Int) throws {
      let server = try SpawnedProgram(
        user + [
          programs + "postgres", "-D", data(port), "-k", folder.path, "-p", "\(port)",
          "-c", "listen_addresses=", "-c", "max_prepared_transactions=20",
        ], output: .nothing, errors: .nothing)
      servers[port] = server
      try wait("PostgreSQL does not start in \(folder.path)") {
        (try? query("SELECT 1", on: port)) == ["1"]
      }
    }

    private func wait(_ complaint: String, until isDone: () throws -> Bool) throws {
      for _ in 0..<600 {
        if try isDone() { return }
        usleep(50_000)
      }
      throw Failure(description: complaint)
    }

    /// Ends the server as a crash does: commits that were not flushed are gone.
    package func crash() throws { try crash(port) }

    private func crash(_ port: Int) throws {
      let file = try String(contentsOfFile: data(port) + "/postmaster.pid", encoding: .utf8)
      guard let pid = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
        throw Failure(description: "PostgreSQL does not run in \(folder.path)")
      }
      kill(pid, SIGQUIT)
      // A process that does not run cannot end by itself.
      if let sender { kill(sender, SIGKILL) }
      sender = nil
      servers[port]?.wait()
      servers[port] = nil
    }

    package func remove() {
      for port in servers.keys { try? crash(port) }
      _ = try? SpawnedProgram.run(["rm", "-rf", folder.path])
    }

    // MARK: - Backups and standbys

    /// Keeps a copy of the server's files. The server stops for it.
    package func backUp() throws {
      try crash()
      try SpawnedProgram.run(["rm", "-rf", data(port) + "-backup"])
      try SpawnedProgram.run(user + ["cp", "-a", data(port), data(port) + "-backup"])
      try start()
    }

    /// Puts the files back to the last ``backUp()``. Later commits are gone.
    package func restore() throws {
      try crash()
      try SpawnedProgram.run(["rm", "-rf", data(port)])
      try SpawnedProgram.run(user + ["cp", "-a", data(port) + "-backup", data(port)])
      try start()
    }

    /// Restores a dump of a database as the whole content of another one, which is made anew.
    package func restoreDump(of database: String, as other: String) throws {
      let dump = folder.path + "/dump.sql"
      let connection = ["-h", folder.path, "-p", "\(port)", "-U", "postgres"]
      try SpawnedProgram.run(user + [programs + "pg_dump"] + connection + ["-f", dump, database])
      try query("DROP DATABASE IF EXISTS \(other) WITH (FORCE)")
      try query("CREATE DATABASE \(other)")
      try SpawnedProgram.run(
        user + ["psql", "-v", "ON_ERROR_STOP=1", "-q"] + connection + ["-d", other, "-f", dump])
    }

    /// Makes a standby. From here on, a commit waits until the standby has it, unless
    /// `synchronous_commit` is off.
    package func addStandby() throws {
      try SpawnedProgram.run(["rm", "-rf", data(otherPort)])
      try SpawnedProgram.run(
        user + [
          programs + "pg_basebackup", "-h", folder.path, "-p", "\(port)", "-U", "postgres",
          "-D", data(otherPort), "-R", "-X", "stream", "-c", "fast",
        ])
      try start(otherPort)
      try query("ALTER SYSTEM SET synchronous_standby_names = '*'")
      try query("SELECT pg_reload_conf()")
      try wait("the standby does not follow") {
        try query("SELECT sync_state FROM pg_stat_replication") == ["sync"]
      }
    }

    /// Stops to send commits to the standby. A commit waits for it from here on, unless
    /// `synchronous_commit` is off.
    package func cutOffStandby() throws {
      sender = try query("SELECT pid FROM pg_stat_replication").first.flatMap { Int32($0) }
      if let sender { kill(sender, SIGSTOP) }
    }

    /// Ends the primary as a crash does, and promotes the standby.
    package func failOver() throws {
      try crash()
      try SpawnedProgram.run(["rm", "-rf", data(port)])
      port = otherPort
      try query("ALTER SYSTEM RESET synchronous_standby_names")
      try query("SELECT pg_promote()")
    }

    /// Stops or continues the processes of all connections with an application's name.
    package func signal(_ name: String, _ signal: Int32) throws {
      for line in try query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = '\(name)'")
      {
        if let pid = Int32(line) { kill(pid, signal) }
      }
    }

    // MARK: - Statements

    /// Runs statements as the owner and returns the lines of their results.
    @discardableResult
    package func query(_ sql: String, in database: String = "postgres") throws -> [String] {
      try query(sql, in: database, on: port)
    }

    private func query(
      _ sql: String, in database: String = "postgres", on port: Int
    ) throws -> [String] {
      let arguments = [
        "psql", "-h", folder.path, "-p", "\(port)", "-U", "postgres", "-d", database, "-qAtX",
        "-v", "ON_ERROR_STOP=1", "-c", sql,
      ]
      return try SpawnedProgram.run(arguments).split(separator: "\n").map(String.init)
    }

    /// Runs a script of `pgbench` in several sessions, this often in each, and returns its report.
    package func loadTest(sessions: Int, commits: Int, _ script: String) throws -> String {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sql")
      try Data(script.utf8).write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      return try SpawnedProgram.run([
        programs + "pgbench", "-n", "-c", "\(sessions)", "-j", "2", "-t", "\(commits)",
        "-f", file.path, target,
      ])
    }
  }
#endif
