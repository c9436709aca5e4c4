internal import Strata

/// The members that a mapping reads and that no record at a path has had so far.
///
/// A misspelt member would otherwise import nothing without a word. The first records usually have
/// all members, so later records are not looked at.
struct UnseenMembers {
  /// The members of the mapping, each with the slots that may have its value.
  private let all: [(name: String, slots: [Int])]
  /// The indexes of the members that no record had.
  private var unseen: [Int]
  private var hasRecords = false

  init(_ path: RecordPath) {
    if case .all(let mapper) = path.records { all = mapper.members } else { all = [] }
    unseen = Array(all.indices)
  }

  /// The members, and whether a record had them; empty if there was no record.
  var members: [(name: String, isFound: Bool)] {
    if !hasRecords { return [] }
    return all.indices.map { (all[$0].name, !unseen.contains($0)) }
  }

  mutating func look(at record: ScannedRecord) {
    hasRecords = true
    if unseen.isEmpty { return }
    unseen.removeAll { index in
      all[index].slots.contains { record.cells[$0] != .missing }
    }
  }
}
