import Foundation
import LocalPostgres

/// The way of a host to the server: a link to the server's socket, which can be taken away.
@MainActor final class Cable {
  private static let socket = ".s.PGSQL.5432"

  /// The folder to name in a connection string.
  let folder: URL
  private let role: String
  private let cluster: PostgresCluster
  private(set) var isPlugged = false

  init(of role: String, to cluster: PostgresCluster) throws {
    self.role = role
    self.cluster = cluster
    folder = URL(fileURLWithPath: "\(cluster.folder.path)-\(role)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try plug()
  }

  func plug() throws {
    if isPlugged { return }
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: Self.socket),
      withDestinationURL: cluster.folder.appending(path: Self.socket))
    isPlugged = true
  }

  /// Ends the role's connections, and lets no other begin.
  func unplug() throws {
    if !isPlugged { return }
    try FileManager.default.removeItem(at: folder.appending(path: Self.socket))
    isPlugged = false
    try cluster.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'")
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
