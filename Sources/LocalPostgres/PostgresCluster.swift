#if Postgres
  package import Foundation

  /// A PostgreSQL of its own, in a folder that goes with it.
  @MainActor
  package final class PostgresCluster {
    package struct Failure: Error, CustomStringConvertible {
      package let description: String
    }

    package let folder: URL
    private let programs: String
    /// The words before each command; PostgreSQL does not run as root.
    private let user: [String]
    private var server: Process?

    /// The connection string of the owner of everything.
    package var target: String { "host=\(folder.path) dbname=postgres user=postgres" }

    /// Makes a cluster and starts it.
    package init() throws {
      folder = URL(fileURLWithPath: "/tmp/strata-pg-\(UUID().uuidString.prefix(8))")
      let folders = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
      let newest = folders?.compactMap { Int($0) }.max()
      programs = newest.map { "/usr/lib/postgresql/\($0)/bin/" } ?? ""
      user = getuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []
      try Self.run(user + ["mkdir", "-m", "700", folder.path])
      try Self.run(
        user + [
          programs + "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8",
        ])
      try start()
    }

    private var data: String { folder.path + "/data" }

    /// Starts the server, and waits until it answers.
    package func start() throws {
      let server = Process()
      server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      server.arguments =
        user + [
          programs + "postgres", "-D", data, "-k", folder.path, "-c", "listen_addresses=",
          "-c", "max_prepared_transactions=20",
        ]
      server.standardOutput = FileHandle.nullDevice
      server.standardError = FileHandle.nullDevice
      try server.run()
      self.server = server
      for _ in 0..<300 {
        if (try? query("SELECT 1")) == ["1"] { return }
        usleep(100_000)
      }
      throw Failure(description: "PostgreSQL does not start in \(folder.path)")
    }

    /// Ends the server as a crash does: commits that were not flushed are gone.
    package func crash() throws {
      let file = try String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
      guard let pid = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
        throw Failure(description: "PostgreSQL does not run in \(folder.path)")
      }
      kill(pid, SIGQUIT)
      server?.waitUntilExit()
      server = nil
    }

    package func remove() {
      try? crash()
      _ = try? Self.run(["rm", "-rf", folder.path])
    }

    /// Runs statements as the owner and returns the lines of their results.
    @discardableResult
    package func query(_ sql: String) throws -> [String] {
      let arguments = [
        "psql", "-h", folder.path, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql,
      ]
      return try Self.run(arguments).split(separator: "\n").map(String.init)
    }

    @discardableResult
    private static func run(_ command: [String]) throws -> String {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = command
      let (output, errors) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = errors
      try process.run()
      let text = output.fileHandleForReading.readDataToEndOfFile()
      let message = errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      if process.terminationStatus != 0 {
        throw Failure(
          description: "\(command.joined(separator: " ").prefix(200)): "
            + String(decoding: message, as: UTF8.self))
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
#endif
