import LiveMapServer

/// The state of all hosts on the page.
struct Report: Encodable, Sendable {
  /// The number of rows that the server has.
  let rows: Int
  let hosts: [Host]

  struct Host: Encodable, Sendable {
    let name: String
    let address: String
    let isPlugged: Bool
    let phase: String
    let waiting: Int
    let refused: Int
    /// The newest notes of the host's pages, the newest first.
    let notes: [Note]
  }

  struct Note: Encodable, Sendable {
    let id: String
    let place: String
    /// The note that a page of the host wrote.
    let note: String
    let state: RowBadge.Kind
    /// The state in words.
    let text: String
  }
}
