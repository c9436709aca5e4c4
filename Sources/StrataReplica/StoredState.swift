internal import Foundation

/// The state of a replica that its store keeps.
struct StoredState: Codable {
  /// The state of the server that the store has; nil until all rows were read once.
  var cursor: ReplicaCursor?
  /// The reading of all rows, while the store has some of them.
  var copy: CopyProgress?
  var push: PushState
  /// Whether the next pull has to read the rows whose edits wait, because the last reading of all rows
  /// that meet a filter did not tell whether the server has them; nil for no.
  var mustReadWaiting: Bool?
  /// The database whose rows the store has; nil until it is known.
  var database: UUID?

  init(
    cursor: ReplicaCursor? = nil, copy: CopyProgress? = nil, push: PushState,
    mustReadWaiting: Bool = false
  ) {
    self.cursor = cursor
    self.copy = copy
    self.push = push
    self.mustReadWaiting = mustReadWaiting ? true : nil
  }

  init(_ data: Data) throws(ReplicaError) {
    do { self = try JSONDecoder().decode(StoredState.self, from: data) } catch {
      throw .unreadable("the state of the replica")
    }
  }

  var data: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // A struct of texts can always be encoded.
    guard let data = try? encoder.encode(self) else { fatalError("a state cannot be encoded") }
    return data
  }
}
