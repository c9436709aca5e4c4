/// The beginnings of a live query's sections: runs of shown rows that are equal in one order.
struct SectionIndex: Sendable {
  let order: RecordOrder
  /// A row that each section has or had, by which it is found.
  private var leads: ContiguousArray<Record> = []
  private var counts: [Int] = []
  /// The offset of each section's first row, followed by the number of all rows.
  private var starts: [Int] = [0]

  /// Creates the sections of the shown rows. O(*s* log *n*) for *s* sections.
  init(of rows: ShownRows, by order: RecordOrder) {
    self.order = order
    let total = rows.range.count
    var offset = 0
    while offset < total {
      let lead = rows.record(at: offset)
      let end = min(rows.end(ofRunLike: lead, in: order), total)
      leads.append(lead)
      counts.append(end - offset)
      offset = end
    }
    makeStarts()
  }

  /// The number of sections.
  var count: Int { leads.count }

  /// Returns the offsets of a section's rows.
  func range(of section: Int) -> Range<Int> { starts[section]..<starts[section + 1] }

  /// Returns the section of the row at an offset, and the row's position in it. O(log *s*).
  func path(of offset: Int) -> LivePath {
    let section = leads.indices.partitioningIndex { starts[$0 + 1] <= offset }
    return LivePath(section: section, item: offset - starts[section])
  }

  // MARK: Changes

  /// Brings the sections of a whole result to a later version, in which only `keys` may differ.
  ///
  /// - Complexity: O(*s* + *k* (log *s* + log *n*)) for *s* sections and *k* keys, and O(*s*) for
  ///   each new section.
  mutating func follow(from old: ResultTree, to new: ResultTree, _ keys: Set<RecordKey>) {
    for key in keys {
      let before = old.record(of: key)
      let after = new.record(of: key)
      if let before, let after, order.compare(before, after) == 0 { continue }
      if let before { add(-1, to: before) }
      if let after { add(1, to: after) }
    }
    if counts.contains(0) {
      let kept = counts.indices.filter { counts[$0] > 0 }
      leads = ContiguousArray(kept.map { leads[$0] })
      counts = kept.map { counts[$0] }
    }
    makeStarts()
  }

  private mutating func add(_ number: Int, to record: Record) {
    let section = leads.indices.partitioningIndex { order.compare(leads[$0], record) < 0 }
    if section < leads.count, order.compare(leads[section], record) == 0 {
      counts[section] += number
    } else {
      leads.insert(record, at: section)
      counts.insert(number, at: section)
    }
  }

  private mutating func makeStarts() {
    starts = [0]
    starts.reserveCapacity(counts.count + 1)
    var sum = 0
    for count in counts {
      sum += count
      starts.append(sum)
    }
  }

  /// Returns the sections that only the old version has, and the sections that only the new version
  /// has, ascending.
  static func difference(_ old: SectionIndex, _ new: SectionIndex) -> (gone: [Int], come: [Int]) {
    var gone: [Int] = []
    var come: [Int] = []
    let compare = { (i: Int, j: Int) -> Int in new.order.compare(old.leads[i], new.leads[j]) }
    joinAscending(old.count, new.count, by: compare) { i, j in
      if let i, j == nil { gone.append(i) }
      if let j, i == nil { come.append(j) }
    }
    return (gone, come)
  }
}
