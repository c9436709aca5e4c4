internal import Foundation

/// The state of a replica that its store keeps.
struct StoredState: Codable {
  /// The state of the server that the store has; nil until all rows were read once.
  var cursor: ReplicaCursor?
  /// The reading of all rows, while the store has some of them.
  var copy: CopyProgress?
  var push: PushState
  /// The database whose rows the store has; nil until it is known.
  var database: UUID?
  /// Whether the next pull reads the rows whose edits wait; nil for no.
  ///
  /// It is true after all rows were read that meet a filter. A row that is missing there may be on the
  /// server, and not meet the filter.
  var mustReadWaiting: Bool?

  init(cursor: ReplicaCursor? = nil, push: PushState) {
    self.cursor = cursor
    self.push = push
  }

  /// The state without rows of the server, such as after a registration.
  var unread: StoredState {
    var new = self
    (new.cursor, new.copy) = (nil, nil)
    return new
  }

  /// The state after a page of a copy, or before the first.
  func copying(_ progress: CopyProgress, mustReadWaiting: Bool = false) -> StoredState {
    var new = unread
    new.copy = progress
    new.mustReadWaiting = mustReadWaiting ? true : nil
    return new
  }

  /// The state after a pull.
  func at(_ cursor: ReplicaCursor, mustReadWaiting: Bool) -> StoredState {
    var new = unread
    new.cursor = cursor
    new.mustReadWaiting = mustReadWaiting ? true : nil
    return new
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
