/// A group of a live value that changed: its cells before and after; nil where it had no rows.
typealias GroupChange = (old: [Cell]?, new: [Cell]?)

/// Reads a live value from the cells of its groups.
struct LiveValueReader<Value: Sendable> {
  /// Changes a value.
  typealias Patch = (inout Value?) -> Void

  /// Returns what brings a value to the new cells of some groups.
  ///
  /// Parameters are the value, which is nil if all groups are new, and the groups.
  let patch: (Value?, [GroupChange]) throws(CodingFailure) -> Patch

  /// Creates the reader of a value with a single group, which is always there.
  init(_ read: @escaping ([Cell]) throws(CodingFailure) -> Value) {
    patch = { _, changes throws(CodingFailure) in
      guard let row = changes.first?.new else { return { _ in } }
      let new = try read(row)
      return { $0 = new }
    }
  }

  /// Creates the reader of a dictionary.
  ///
  /// - Parameter read: reads a group and its value, which is nil if the group is left out.
  init<Group: Hashable, Element>(
    groups read: @escaping ([Cell]) throws(CodingFailure) -> (Group, Element?)
  ) where Value == [Group: Element] {
    patch = { value, changes throws(CodingFailure) in
      var gone: Set<Group> = []
      for case (let old?, _) in changes {
        let (group, element) = try read(old)
        if element != nil { gone.insert(group) }
      }
      var come: [Group: Element] = [:]
      for case (_, let new?) in changes {
        let (group, element) = try read(new)
        guard let element else { continue }
        let isTaken = value?[group] != nil && !gone.contains(group)
        if come.updateValue(element, forKey: group) != nil || isTaken {
          throw CodingFailure(
            column: 0, error: ValueError("two groups of different bytes are equal in Swift"))
        }
      }
      return { value in
        var groups = value ?? [:]
        value = nil  // not a second reference to the groups
        for group in gone where come[group] == nil { groups[group] = nil }
        groups.merge(come) { $1 }
        value = groups
      }
    }
  }
}
