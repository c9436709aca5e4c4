import Strata

/// The visible rows of a page's list, as the page has them.
///
/// The page gets the differences of a live query's updates, as far as they touch a visible row. The
/// offsets of an update become offsets of the window: a row that leaves the window is a deletion, and
/// a row that enters it is an insertion.
struct RowWindow {
  private var elements: LiveElements<Sighting>?
  private var from = 0
  private var count = 40

  /// Shows other rows of the elements that the page has.
  mutating func show(from: Int, count: Int) -> Event? {
    self.from = max(0, from)
    self.count = min(max(0, count), 500)
    return elements.map(rows)
  }

  /// Returns the differences of the window; nil if no visible row has changed.
  mutating func follow(_ update: LiveUpdate<Sighting>) -> Event? {
    let old = elements
    elements = update.elements
    guard let old, !update.isReset else { return rows(of: update.elements) }
    let changes = changes(of: update, from: old.count)
    if changes.isEmpty && update.elements.count == old.count { return nil }
    return .rowChanges(changes: changes)
  }

  /// The sightings of the visible rows, as of the last update.
  var visible: [Sighting] {
    elements.map { elements in range(of: elements.count).map { elements[$0] } } ?? []
  }

  private func range(of count: Int) -> Range<Int> {
    min(from, count)..<min(from + self.count, count)
  }

  private func rows(of elements: LiveElements<Sighting>) -> Event {
    let visible = range(of: elements.count)
    return .rows(
      total: elements.count, from: from,
      rows: visible.map { Row(listing: elements[$0]) })
  }

  private func changes(of update: LiveUpdate<Sighting>, from oldCount: Int) -> RowChanges {
    let new = range(of: update.elements.count)
    var changes = RowChanges(total: update.elements.count)
    let positions = Positions(update)
    var kept: Set<Int> = []
    for offset in range(of: oldCount) {
      guard let position = positions.position(of: offset), new.contains(position) else {
        changes.deletions.append(offset - from)
        continue
      }
      kept.insert(position)
      if positions.isMove(offset) { changes.moves.append([offset - from, position - from]) }
    }
    for position in new where !kept.contains(position) {
      changes.insertions.append(
        RowChanges.Insertion(
          offset: position - from, row: Row(listing: update.elements[position])))
    }
    for edit in update.edits
    where kept.contains(edit.offset) && !edit.attributes.isDisjoint(with: Row.listed) {
      changes.edits.append(
        RowChanges.Edit(offset: edit.offset - from, row: Row(listing: update.elements[edit.offset]))
      )
    }
    return changes
  }
}

/// The offsets after an update of the elements before it.
private struct Positions {
  private let deletions: Set<Int>
  private let destinations: [Int: Int]
  /// The old offsets of deletions and moves, ascending.
  private let leaving: [Int]
  /// The new offsets of insertions and moves, ascending.
  private let arriving: [Int]

  init(_ update: LiveUpdate<Sighting>) {
    deletions = Set(update.deletions)
    destinations = Dictionary(uniqueKeysWithValues: update.moves.map { ($0.from, $0.to) })
    leaving = (update.deletions + update.moves.map(\.from)).sorted()
    arriving = (update.insertions + update.moves.map(\.to)).sorted()
  }

  func isMove(_ offset: Int) -> Bool { destinations[offset] != nil }

  /// Returns the offset after the update; nil if the element is deleted.
  ///
  /// - Complexity: O(n), n being the number of differences.
  func position(of offset: Int) -> Int? {
    if deletions.contains(offset) { return nil }
    if let destination = destinations[offset] { return destination }
    var position = offset - leaving.prefix { $0 < offset }.count
    for arrival in arriving where arrival <= position { position += 1 }
    return position
  }
}
