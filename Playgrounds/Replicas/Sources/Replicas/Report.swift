/// The state of a host on its page.
struct Report: Encodable, Sendable {
  let name: String
  let address: String
  let isPlugged: Bool
  let phase: String
  let waiting: Int
  let conflicts: [Conflict]
  let refused: [Refusal]

  /// A note of this host that has replaced another host's note; nil for a deletion.
  struct Conflict: Encodable, Sendable {
    let place: String
    let mine: String?
    let theirs: String?
  }

  struct Refusal: Encodable, Sendable {
    let id: String
    let place: String
    let note: String
    let reason: String
  }
}
