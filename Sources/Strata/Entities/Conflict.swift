/// An attribute-by-attribute disagreement between an edit and the store.
///
/// ```swift
/// for conflict in view.conflicts {
///   guard let sides = conflict.sides(of: Song.self) else { continue }
///   print(conflict.attributes, sides.mine?.title ?? "deleted", sides.theirs?.title ?? "deleted")
///   view.resolve(conflict, .mergeMine)
/// }
/// ```
public struct Conflict: Sendable, CustomStringConvertible {
  let table: Table
  /// The record's key.
  public let key: RecordKey
  /// The names of the attributes whose stored value is neither the value before the edit nor the value
  /// after it.
  ///
  /// All attributes are listed if one side deleted the row or both sides inserted it.
  public let attributes: [String]
  /// The record before this side's edit; nil for an insertion.
  package let before: Record?
  /// The record as this side wants it; nil for a deletion.
  package let mine: Record?
  /// The record in the store; nil if it was deleted.
  package let theirs: Record?

  /// The entity's name.
  public var entity: String { table.entity }

  /// Whether the row was deleted below an edit.
  ///
  /// The edit stays until it is resolved, rolled back, or saved under a policy that decides about
  /// it.
  public var isOrphaned: Bool { before != nil && mine != nil && theirs == nil }

  /// Returns the three sides as entities, or nil if the conflict is about another entity.
  ///
  /// An attribute that cannot be read has its default value.
  public func sides<E: Entity>(of type: E.Type) -> (before: E?, mine: E?, theirs: E?)? {
    guard table.isTable(of: type) else { return nil }
    func entity(_ record: Record?) -> E? { record.map { table.decodeLeniently($0, as: type) } }
    return (entity(before), entity(mine), entity(theirs))
  }

  /// Returns whether another conflict has the same three sides.
  func hasSides(of other: Conflict) -> Bool {
    table === other.table && key == other.key && before == other.before && mine == other.mine
      && theirs == other.theirs
  }

  public var description: String { "\(entity) \(key): \(problem)" }

  private var problem: String {
    switch (before, mine, theirs) {
    case (_, _, nil): "edited here, and no longer in the store"
    case (nil, _, _?): "inserted here, and in the store already"
    case (let before?, nil, let theirs?): deletion(before, theirs)
    case (let before?, let mine?, let theirs?): edit(before, mine, theirs)
    }
  }

  private func deletion(_ before: Record, _ theirs: Record) -> String {
    let columns = theirs.sharedDifferences(from: before).positions
      .filter { $0 < table.columns.count }
    guard let first = columns.first else { return "deleted here, but the store has another row" }
    return "deleted here, but \(table.columns[first].name) is \(theirs[first]) in the store; "
      + "before the deletion it was \(before[first])" + more(columns.count - 1, "attribute")
  }

  private func edit(_ before: Record, _ mine: Record, _ theirs: Record) -> String {
    guard let name = attributes.first,
      let column = table.columns.firstIndex(where: { $0.name == name })
    else { return "the store has another row" }
    return "\(name) is \(mine[column]) here and \(theirs[column]) in the store; before the edit it "
      + "was \(before[column])" + more(attributes.count - 1, "attribute")
  }
}

extension StoreError {
  init(_ conflicts: [Conflict]) {
    let first = conflicts[0]
    self.init(
      .conflict,
      "\(first)\(more(conflicts.count - 1, "conflict"))",
      advice: Self.advice(for: first),
      entity: first.entity, attributes: first.attributes, keys: conflicts.map(\.key))
    self.conflicts = conflicts
  }

  /// Returns the policies that decide a conflict like the first one.
  private static func advice(for conflict: Conflict) -> String {
    let rest = ", or resolve each of the error's conflicts"
    return switch (conflict.before, conflict.mine, conflict.theirs) {
    case (_, _, nil): "save(.overwrite) inserts it again, save(.discard) gives the edit up\(rest)"
    case (nil, _, _): "upsert an entity that may exist\(rest)"
    case (_, nil, _): "save(.mergeMine) deletes it, save(.mergeTheirs) keeps it\(rest)"
    default: "save(.mergeMine) keeps the value here, save(.mergeTheirs) the stored one\(rest)"
    }
  }
}
