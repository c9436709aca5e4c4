/// A difference with paths instead of offsets, in the form that list views accept.
///
/// Sections stand in the order of their names, so sections are inserted and deleted, but never
/// move. Elements that are inserted or deleted with their section are not listed. No element moves
/// out of a deleted section or into an inserted section.
struct SectionDifference: Sendable {
  private(set) var goneSections: [Int] = []
  private(set) var newSections: [Int] = []
  private(set) var deletions: [LivePath] = []
  private(set) var insertions: [LivePath] = []
  private(set) var moves: [(from: LivePath, to: LivePath)] = []
  private(set) var edits: [(path: LivePath, attributes: AttributeSet)] = []

  init(_ difference: LiveDifference, from old: SectionIndex, to new: SectionIndex) {
    (goneSections, newSections) = SectionIndex.difference(old, new)
    let gone = Set(goneSections)
    let come = Set(newSections)
    deletions = difference.deletions.map(old.path).filter { !gone.contains($0.section) }
    insertions = difference.insertions.map(new.path).filter { !come.contains($0.section) }
    var arrived: Set<LivePath> = []
    for move in difference.moves {
      let (from, to) = (old.path(of: move.from), new.path(of: move.to))
      let (leavesGone, entersNew) = (gone.contains(from.section), come.contains(to.section))
      switch (leavesGone, entersNew) {
      case (false, false): moves.append((from, to))
      case (true, false):
        insertions.append(to)
        arrived.insert(to)
      case (false, true): deletions.append(from)
      case (true, true): break
      }
    }
    deletions.sort()
    insertions.sort()
    for edit in difference.edits {
      let path = new.path(of: edit.offset)
      if come.contains(path.section) || arrived.contains(path) { continue }
      edits.append((path, edit.attributes))
    }
  }
}
