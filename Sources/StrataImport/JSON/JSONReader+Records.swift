/// Reads records by a plan.
///
/// A value that does not fit its column is noted in the record, and reading goes on. So a syntax error
/// later in the record takes precedence, and the next record can be read. The last of several
/// duplicate keys counts, with everything inside its value. The values of the earlier keys must
/// fit, too.
extension JSONReader {
  /// Reads one value into a scanned record.
  ///
  /// - Parameter isMember: whether the name of the member that has the value, and a colon, come
  ///   first. They belong to the record's text.
  mutating func record(
    _ plan: JSONPlan, isMember: Bool = false, into scanned: inout ScannedRecord
  ) throws(JSONFault) {
    _ = peek()
    let first = position
    scanned.begin(plan.columns.count, offset: base + first)
    if isMember {
      try columns(plan.nameSlots, plan, &scanned, record: first)
      cursor = start + first
      _ = try key()
      _ = peek()
    }
    if !plan.nodes.isEmpty {
      try container(0, plan, &scanned, record: first)
    } else if plan.valueSlots.isEmpty {
      try skipValue()
    } else {
      try columns(plan.valueSlots, plan, &scanned, record: first)
    }
    for slot in plan.requiredSlots {
      let problem: JSONValueError.Problem
      switch scanned.cells[slot] {
      case .missing: problem = .missing
      case .null: problem = .null
      default: continue
      }
      scanned.note(JSONValueFault(problem: problem, site: .slot(slot), range: first..<first))
    }
    scanned.end(bytes(first, count: position - first))
  }

  /// Reads a value that should be the object or array of a node.
  @inline(never)
  private mutating func container(
    _ index: Int, _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    let node = plan.nodes[index]
    // Clears the cells of an earlier duplicate key. The record itself begins empty.
    if index > 0 { for slot in node.slots { scanned.cells[plan.slots[slot]] = .missing } }
    let kind = try kind()
    let first = position
    switch kind {
    case .object where !node.isArray:
      try object(node, plan, &scanned, record: record)
    case .array where node.isArray:
      try array(node, plan, &scanned, record: record)
    case .null where index > 0:
      try null()
      for slot in node.slots { scanned.cells[plan.slots[slot]] = .null }
      return
    default:
      let range = try skippedRange()
      let problem = JSONValueError.Problem.expected(node.isArray ? .array : .object)
      scanned.note(JSONValueFault(problem: problem, site: .node(index), range: range))
      return
    }
    for whole in node.wholes {
      scanned.cells[whole] = .text(
        ScannedRecord.Bytes(offset: first - record, count: position - first, isDecoded: false))
    }
  }

  private mutating func object(
    _ node: JSONPlan.Node, _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    try beginObject()
    var expected = node.fields.lowerBound
    var isFirst = true
    while try nextMember(&isFirst) {
      guard let found = try field(expected, node, plan) else {
        try skipValue()
        continue
      }
      expected = found + 1
      try value(plan.fields[found], plan, &scanned, record: record)
    }
  }

  private mutating func array(
    _ node: JSONPlan.Node, _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    try beginArray()
    var expected = node.fields.lowerBound
    var (isFirst, index) = (true, 0)
    while try nextElement(&isFirst) {
      if expected < node.fields.upperBound, plan.fields[expected].index == index {
        try value(plan.fields[expected], plan, &scanned, record: record)
        expected += 1
      } else {
        try skipValue()
      }
      index += 1
    }
  }

  @inline(__always)
  private mutating func value(
    _ field: JSONPlan.Field, _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    if field.reading == .container {
      try container(field.target, plan, &scanned, record: record)
    } else if field.reading == .several {
      try columns(plan.shared[field.target], plan, &scanned, record: record)
    } else {
      try column(field, plan, &scanned, record: record)
    }
  }

  /// Reads a key and its colon, and returns the index of the key's field; nil without such a field.
  ///
  /// The expected key is compared in place, without a search for the key's end.
  @inline(__always)
  private mutating func field(
    _ expected: Int, _ node: JSONPlan.Node, _ plan: JSONPlan
  ) throws(JSONFault) -> Int? {
    if expected < node.fields.upperBound {
      let key = plan.fields[expected].key
      if key.isNext(at: cursor + 1, before: end) {
        cursor += key.count + 2
        try expect(UInt8(ascii: ":"))
        return expected
      }
    }
    return try search(node, plan)
  }

  @inline(never)
  private mutating func search(_ node: JSONPlan.Node, _ plan: JSONPlan) throws(JSONFault) -> Int? {
    let key = try key()
    if key.isEscaped {
      for index in node.fields where try matches(key, plan.keys[index]) { return index }
      return nil
    }
    let text = bytes(key.position, count: key.count)
    return node.fields.first {
      plan.fields[$0].key.isLike(text)
        && (text.count <= 16 || plan.keys[$0].elementsEqual(text))
    }
  }

  /// Skips a value and returns its range.
  mutating func skippedRange() throws(JSONFault) -> Range<Int> {
    _ = peek()
    let first = position
    try skipValue()
    return first..<position
  }
}
