/// The state of a row's edits on their way to other stores, as a page shows it beside the row.
public struct RowBadge: Encodable, Sendable, Hashable {
  public enum Kind: String, Encodable, Sendable {
    /// The edits wait for the server.
    case waits
    /// The server has refused the edits.
    case refused
    /// The server has the edits.
    case settled
    /// An edit of another store has taken the place of the edits.
    case replaced
  }

  public let kind: Kind
  public let text: String

  public init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }
}
