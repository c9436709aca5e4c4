import Synchronization

/// Numbers that tasks off the main actor count, and that pages show.
final class Tally: Sendable {
  private let rows = Atomic(0)
  private let moves = Atomic(0)

  /// The number of rows that commits have changed.
  var rowsChanged: Int { rows.load(ordering: .relaxed) }
  /// The number of moves that the winds have saved.
  var movesSaved: Int { moves.load(ordering: .relaxed) }

  func addRows(_ count: Int) { rows.add(count, ordering: .relaxed) }
  func addMoves(_ count: Int) { moves.add(count, ordering: .relaxed) }
}
