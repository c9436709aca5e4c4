import Strata

/// Edits a song in a sheet with a popover over it, for a user who undoes edits.
@MainActor func editAndUndo(_ view: ViewContext) async throws {
  let song = Song(title: "So What", bpm: 136)
  view.undoGroup("Add") { view.insert(song) }
  let sheet = view.makeScratch()
  let popover = sheet.makeScratch()
  popover.undoLimit = 10
  popover.update(song) { $0.bpm = 144 }
  popover.undo()
  popover.redo()
  try await popover.save()
  try await sheet.save(.mergeMine)
  if view.canUndo, let report = view.undo() {
    for skipped in report.skipped { print("\(skipped.entity) \(skipped.key) stays as it is") }
  }
  view.redo()
  do { try await view.save() } catch let error as StoreError where error.code == .conflict {
    for conflict in error.conflicts {
      guard let sides = conflict.sides(of: Song.self) else { continue }
      view.resolve(conflict, sides.theirs == nil ? .overwrite : .mergeTheirs)
    }
    try await view.save(.mergeMine)
  }
  view.delete(song)
  try await view.save()
}
