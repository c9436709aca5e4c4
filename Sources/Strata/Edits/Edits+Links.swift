internal import Foundation

/// A context's edit of a link, which makes, moves or removes the link.
struct LinkEdit {
  let end: JoinTable.End
  let key: RecordKey
  /// The link's row without a position.
  private let cells: [Cell]

  /// - Throws: if one of the keys cannot be stored.
  init<Root: Entity, Target: Entity>(
    _ root: Root.ID, _ target: Target.ID, _ relationship: ManyToMany<Root, Target>, _ model: Model
  ) throws(ValueError) {
    guard let end = model.join(relationship.reference) else {
      fatalError(
        "list the relationship of \(Root.self) and \(Target.self) in the schema of one of them")
    }
    let (root, target) = (try root.cell, try target.cell)
    let (owner, other) = relationship.isInverse ? (target, root) : (root, target)
    self.end = end
    cells = [try JoinTable.key(owner, other), owner, other]
    key = RecordKey(cells[Table.keyColumn])
  }

  /// Returns the link's row, with a position if the table has one.
  func record(_ position: Double?) throws(ValueError) -> Record {
    try end.record(cells, at: position)
  }

  func move(from old: Double, to new: Double) throws(ValueError) -> LinkMove {
    LinkMove(table: end.table, key: key, before: try record(old), after: try record(new))
  }
}

extension JoinTable.End {
  /// Returns the row of a link, with a position if the table has one.
  ///
  /// - Parameters:
  ///   - cells: the row without a position.
  ///   - position: the position; nil puts the link last.
  func record(_ cells: [Cell], at position: Double?) throws(ValueError) -> Record {
    let isOrdered = table.columns.count > JoinTable.position
    return try Record(cells + (isOrdered ? [.real(position ?? LinkClock.next())] : []))
  }
}

/// The move of a link that makes room for a different link.
struct LinkMove: Sendable {
  let table: Table
  let key: RecordKey
  let before: Record
  let after: Record
}

extension Edits {
  /// Links two entities with a blind edit.
  ///
  /// If other contexts link the same entities, there is still only a single link.
  ///
  /// - Parameter position: the link's position in the root's order. Nil leaves an existing link at
  ///   its position, and puts a new link last.
  /// - Returns: the link's table and key; nil if nothing was edited.
  mutating func link<Root: Entity, Target: Entity>(
    _ root: Root.ID, _ target: Target.ID, _ relationship: ManyToMany<Root, Target>,
    at position: Double? = nil
  ) -> (Table, RecordKey)? {
    edit(root, target, relationship) { link throws(ValueError) in
      let columns =
        position == nil ? AttributeSet() : AttributeSet([JoinTable.position])
      return .patching(columns, onInsert: try link.record(position))
    }
  }

  /// Removes the link between two entities, if there is one.
  ///
  /// - Returns: the link's table and key; nil if nothing was edited.
  mutating func unlink<Root: Entity, Target: Entity>(
    _ root: Root.ID, _ target: Target.ID, _ relationship: ManyToMany<Root, Target>
  ) -> (Table, RecordKey)? {
    edit(root, target, relationship) { _ throws(ValueError) in .set(nil) }
  }

  /// Moves an existing link; a link that was removed meanwhile stays removed.
  ///
  /// - Parameter shown: the state that the context shows for the link now.
  /// - Returns: the link's table and key; nil if nothing was edited.
  mutating func move(_ move: LinkMove, shown: RecordState) -> (Table, RecordKey)? {
    guard let now = shown.record else { return nil }
    let edit = Change(
      before: now, after: now.replacing(AttributeSet([JoinTable.position]), from: move.after))
    if edit.isIdentity { return nil }
    let old = layer[move.table.id, move.key]
    compose(.known(edit), over: old, shown: edit, move.table.id, move.key)
    return (move.table, move.key)
  }

  private mutating func edit<Root: Entity, Target: Entity>(
    _ root: Root.ID, _ target: Target.ID, _ relationship: ManyToMany<Root, Target>,
    _ change: (LinkEdit) throws(ValueError) -> BlindChange
  ) -> (Table, RecordKey)? {
    do throws(ValueError) {
      let link = try LinkEdit(root, target, relationship, model)
      let table = link.end.table
      let change = try change(link)
      let old = layer[table.id, link.key]
      let before = old?.applied(to: nil)
      let shown = Change(before: before, after: change.applied(to: before))
      compose(.blind(change), over: old, shown: shown, table.id, link.key)
      return layer[table.id, link.key] == old ? nil : (table, link.key)
    } catch {
      reject(error, of: model.table(of: Root.self))
      return nil
    }
  }
}

/// The source of positions for links that come last.
///
/// A position is the time in seconds, but always greater than the previous position.
enum LinkClock {
  private static let last = Lock(0.0)
  /// The least distance of two positions, in seconds.
  ///
  /// It leaves thousands of numbers between two links that are made in a loop.
  private static let step = 1.0 / 1024

  /// - Parameter position: a position that the result exceeds.
  static func next(after position: Double? = nil) -> Double {
    let now = Date.timeIntervalSinceReferenceDate
    return last.withLock { last in
      last = max(now, last + step, (position ?? now) + step)
      return last
    }
  }
}
