/// An error of a plan: columns that cannot be read together, or an invalid path.
package enum JSONPlanError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Text that is not a path.
  case invalidPath(String)
  /// A path without steps: the record itself is not a column.
  case emptyPath
  /// A path of conflicting columns.
  ///
  /// A column reads the path as a plain value while others read its parts, or the path is both an
  /// object and an array.
  case conflict(String)

  package var description: String {
    switch self {
    case .invalidPath(let text):
      "\"\(text)\" is no path: names between dots, indexes in brackets, other names as in ['a.b']"
    case .emptyPath: "the record itself is read as a value, and members of it, too"
    case .conflict(let path):
      "\(path) is read as a plain value and in parts, or both as an object and as an array"
    }
  }
}

/// A plan for reading a record into the slots of a scanned record: a flat tree of keys and indexes.
///
/// A slot is the index of its column. A reader accepts keys in any order. It is fastest if the
/// input has the keys in the order of the columns. It is a class, so that reading a record copies no array.
package final class JSONPlan: Sendable {
  package let columns: [JSONColumn]

  /// An object or array that has columns inside.
  struct Node: Sendable {
    var isArray: Bool
    /// The fields, as indexes into `fields`. An array's fields are in ascending order of `index`.
    var fields: Range<Int>
    /// The slots of all columns inside, as indexes into `slots`.
    var slots: Range<Int>
    /// The slots of columns that have the whole object or array as its JSON text.
    var wholes: [Int]
  }

  /// A key or index of the plan. It is plain bits, so a copy of it retains nothing.
  struct Field: Sendable {
    /// The way to read the value: frequent kinds directly, other kinds by their column.
    enum Reading: Sendable {
      case container, integer, real, bool, text, iso8601, other
      /// Several columns read the value.
      case several
    }

    var key: JSONKey
    var index: Int
    var reading: Reading
    /// The index of a slot; for a container the index of a node, for several columns that of their
    /// slots.
    var target: Int
  }

  /// The nodes. The first node is the record.
  let nodes: [Node]
  let paths: [JSONPath]
  let fields: [Field]
  /// The text of each field's key.
  let keys: [[UInt8]]
  let slots: [Int]
  let requiredSlots: [Int]
  /// The slots of each value that several columns read.
  let shared: [[Int]]
  /// The slots of columns that read the name of the member that has the record.
  let nameSlots: [Int]

  /// The slots of columns that read the record itself, if it need not be an object or an array.
  let valueSlots: [Int]

  /// Creates a plan for records that are values, not objects.
  package convenience init(value kind: JSONColumn.Kind, allowsNumberInString: Bool = false) {
    self.init(values: [
      JSONColumn(
        JSONPath([]), kind, isRequired: kind != .json, allowsNumberInString: allowsNumberInString)
    ])
  }

  /// - Parameter columns: columns of the record itself and of its name.
  private init(values columns: [JSONColumn]) {
    self.columns = columns
    (nodes, paths, fields, keys, slots, shared) = ([], [], [], [], [], [])
    requiredSlots = columns.indices.filter { columns[$0].isRequired }
    nameSlots = columns.indices.filter { columns[$0].path.steps == [.memberName] }
    valueSlots = columns.indices.filter { columns[$0].path.steps.isEmpty }
  }

  package convenience init(_ columns: [JSONColumn]) throws(JSONPlanError) {
    let members = columns.filter { !$0.path.steps.isEmpty && $0.path.steps != [.memberName] }
    // A record of which only the name is read may be of any kind.
    if members.isEmpty && !columns.isEmpty {
      self.init(values: columns)
    } else {
      try self.init(members: columns)
    }
  }

  private init(members columns: [JSONColumn]) throws(JSONPlanError) {
    self.columns = columns
    requiredSlots = columns.indices.filter { columns[$0].isRequired }
    nameSlots = columns.indices.filter { columns[$0].path.steps == [.memberName] }
    valueSlots = []
    var layout = Layout()
    let members = columns.enumerated().compactMap { slot, column in
      column.path.steps == [.memberName]
        ? nil : Layout.Member(steps: column.path.steps[...], slot: slot)
    }
    try layout.add(members, at: JSONPath([]), columns)
    (nodes, paths, shared) = (layout.nodes, layout.paths, layout.shared)
    (fields, keys, slots) = (layout.fields, layout.keys, layout.slots)
  }
}

extension JSONPlan {
  /// Builds the flat tree. A node comes before the nodes inside it.
  private struct Layout {
    /// A column and the rest of its path.
    struct Member {
      var steps: ArraySlice<JSONPath.Step>
      var slot: Int
    }

    var nodes: [Node] = []
    var paths: [JSONPath] = []
    var fields: [Field] = []
    var keys: [[UInt8]] = []
    var slots: [Int] = []
    var shared: [[Int]] = []

    /// Members with the same next step.
    struct Group {
      let step: JSONPath.Step
      var members: [Member]
      /// The slots of columns that read the step's value as a whole, beside columns of its parts.
      var wholes: [Int] = []

      /// Moves the members that read the step's value as a whole from `members` to `wholes`, if
      /// others read its parts.
      mutating func separateWholes(_ columns: [JSONColumn]) throws(JSONPlanError) {
        guard members.contains(where: { !$0.steps.isEmpty }) else { return }
        for member in members where member.steps.isEmpty {
          let column = columns[member.slot]
          guard column.kind.hasJSONText else { throw .conflict(column.path.description) }
          wholes.append(member.slot)
        }
        members.removeAll { $0.steps.isEmpty }
      }
    }

    mutating func add(
      _ members: [Member], wholes: [Int] = [], at path: JSONPath, _ columns: [JSONColumn]
    ) throws(JSONPlanError) {
      var groups = try grouped(members, columns)
      let isArray = try isArray(groups.map(\.step), at: path)
      if isArray { groups.sort { $0.step.parts.index < $1.step.parts.index } }
      let first = fields.count
      nodes.append(
        Node(
          isArray: isArray, fields: first..<first + groups.count,
          slots: slots.count..<slots.count + members.count + wholes.count, wholes: wholes))
      paths.append(path)
      slots += members.map(\.slot) + wholes
      for group in groups {
        let (key, index) = group.step.parts
        let slot = group.members[0].slot
        keys.append(Array(key.utf8))
        fields.append(
          Field(
            key: JSONKey(key), index: index, reading: .init(columns[slot].kind), target: slot))
      }
      for (offset, group) in groups.enumerated() where !group.members[0].steps.isEmpty {
        fields[first + offset].reading = .container
        fields[first + offset].target = nodes.count
        try add(
          group.members, wholes: group.wholes, at: JSONPath(path.steps + [group.step]), columns)
      }
      for (offset, group) in groups.enumerated()
      where group.members[0].steps.isEmpty && group.members.count > 1 {
        fields[first + offset].reading = .several
        fields[first + offset].target = shared.count
        shared.append(group.members.map(\.slot))
      }
    }

    /// Groups the members by their next step, and removes that step from them.
    private func grouped(
      _ members: [Member], _ columns: [JSONColumn]
    ) throws(JSONPlanError) -> [Group] {
      var groups: [Group] = []
      var positions: [JSONPath.Step: Int] = [:]
      for var member in members {
        guard let step = member.steps.popFirst() else { throw .emptyPath }
        if let position = positions[step] {
          groups[position].members.append(member)
        } else {
          positions[step] = groups.count
          groups.append(Group(step: step, members: [member]))
        }
      }
      for index in groups.indices where groups[index].members.count > 1 {
        try groups[index].separateWholes(columns)
      }
      return groups
    }

    private func isArray(
      _ steps: [JSONPath.Step], at path: JSONPath
    ) throws(JSONPlanError) -> Bool {
      let indexes = steps.count { if case .index = $0 { true } else { false } }
      guard indexes == 0 || indexes == steps.count else { throw .conflict(path.description) }
      return indexes > 0
    }
  }
}

extension JSONPath.Step {
  fileprivate var parts: (key: String, index: Int) {
    switch self {
    case .key(let key): (key, 0)
    case .index(let index): ("", index)
    case .memberName: ("", 0)
    }
  }
}

extension JSONPlan.Field.Reading {
  fileprivate init(_ kind: JSONColumn.Kind) {
    self =
      switch kind {
      case .integer: .integer
      case .real: .real
      case .bool: .bool
      case .text: .text
      case .date(.iso8601): .iso8601
      case .unsigned, .date, .base64, .uuid, .json, .custom, .name: .other
      }
  }
}
