package import Foundation
package import Strata

/// A server's answer to a pull.
package struct PullAnswer: Sendable {
  package enum News: Sendable {
    /// The server says only what it knows of the replica, because it did not know the replica, another store has
    /// its name, or pages of a copy are left.
    case nothing
    /// The server cannot tell what has changed. All rows are to be read in pages, and then what has changed
    /// since this state.
    case copy(ReplicaCursor)
    case rows(PulledRows)
  }

  /// Tells the server's data from those of another database; nil if the server does not say.
  package let database: UUID?
  /// The server's knowledge of the replica when the rows were read; nil if the server did not know the replica.
  package let client: ServerClient?
  package let news: News

  package init(database: UUID?, client: ServerClient?, _ news: News) {
    self.database = database
    self.client = client
    self.news = news
  }
}

/// The rows that bring a store from one state of its server to another.
package struct PulledRows: Sendable {
  /// The state of the server with these rows; nil if the store may not have it yet, because a crash of the server
  /// could take it back. Then there are no rows.
  package var cursor: ReplicaCursor?
  package var rows: [ServerRows]
  /// Whether there are staged rows, too.
  package var isStaged = false
  /// The tables of which all rows are among these.
  package var whole: [Table] = []
  /// The rows in which an edit has replaced the value of another host in a conflict, each with the name of the
  /// host whose edit stays.
  package var replaced: [PushOrder.Row: String] = [:]
  /// The rows that a verification suspects, in the same state of the server, also if there are none; nil if only
  /// a later pull tells of them.
  package var suspects: [ServerRows]?

  package init(cursor: ReplicaCursor?, rows: [ServerRows] = []) {
    self.cursor = cursor
    self.rows = rows
  }

  package var isEmpty: Bool { rows.isEmpty && !isStaged }
}
