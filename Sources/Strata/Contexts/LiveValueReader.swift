/// A group of a live value that changed: its cells before and after; nil where it had no rows.
typealias GroupChange = (old: [Cell]?, new: [Cell]?)

/// Reads a live value from the cells of its groups.
struct LiveValueReader<Value: Sendable> {
  /// Changes a value.
  typealias Patch = (inout Value?) -> Void

  /// Returns what brings a value to the new cells of some groups; nil if the value stays as it is.
  ///
  /// Parameters are the value, which is nil if all groups are new, and the groups.
  let patch: (Value?, [GroupChange]) throws(CodingFailure) -> Patch?

  /// Creates the reader of a value with a single group, which is always there.
  init(_ read: @escaping ([Cell]) throws(CodingFailure) -> Value) {
    patch = { _, changes throws(CodingFailure) in
      guard let row = changes.first?.new else { return nil }
      let new = try read(row)
      return { $0 = new }
    }
  }

  /// Creates the reader of a dictionary.
  ///
  /// - Parameters:
  ///   - cellCount: the number of cells at the end of a row that make the value.
  ///   - read: reads a group and its value, which is nil if the group is left out.
  init<Group: Hashable, Element>(
    cellCount: Int, _ read: @escaping ([Cell]) throws(CodingFailure) -> (Group, Element?)
  ) where Value == [Group: Element] {
    patch = { value, changes throws(CodingFailure) in
      var gone: Set<Group> = []
      var new: [(cell: Cell, group: Group, element: Element)] = []
      for change in changes {
        var (old, next): (Group?, (Group, Element)?)
        if let row = change.old, case (let group, _?) = try read(row) { old = group }
        if let row = change.new, case (let group, let element?) = try read(row) {
          next = (group, element)
        }
        // Only cells of conditions may differ.
        if old != nil, next != nil,
          change.old?.suffix(cellCount) == change.new?.suffix(cellCount)
        {
          continue
        }
        if let old { gone.insert(old) }
        if let next { new.append((change.new?.first ?? .null, next.0, next.1)) }
      }
      var come: [Group: Element] = [:]
      for (cell, group, element) in new {
        let isTaken = value?[group] != nil && !gone.contains(group)
        if come.updateValue(element, forKey: group) != nil || isTaken {
          throw CodingFailure.equalGroups(cell, column: 0)
        }
      }
      if value != nil && gone.isEmpty && come.isEmpty { return nil }
      return { [gone, come] value in
        var groups = value ?? [:]
        value = nil  // not a second reference to the groups
        for group in gone where come[group] == nil { groups[group] = nil }
        groups.merge(come) { $1 }
        value = groups
      }
    }
  }
}
