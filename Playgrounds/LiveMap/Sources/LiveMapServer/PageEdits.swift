import Strata

/// The edits of a page, in a scratch context of the page's own.
///
/// So an undo takes back this page's edits alone. An edit that conflicts stays in the context until
/// the user decides. Edits come one after the other: no call begins before the last call has ended.
@MainActor final class PageEdits {
  static let author = "page"
  /// The author of the edits of the tour's second page.
  static let otherAuthor = "second page"

  private let view: ViewContext
  private let scratch: ScratchContext

  init(_ stack: Stack, author: String) {
    view = stack.viewContext
    scratch = stack.makeScratch()
    scratch.author = author
    scratch.undoLimit = 50
  }

  var canUndo: Bool { scratch.canUndo }

  /// Performs an edit and saves it.
  ///
  /// - Returns: the conflict, if the save has found one.
  func perform(_ edit: Edit) async throws -> Conflict? {
    // A conflict that the user has not decided gives way to the next edit.
    if scratch.hasChanges { try await scratch.save(.mergeTheirs) }
    switch edit {
    case .note(let id, let was, let text):
      guard var seen = try await find(id) else { throw Missing() }
      // The entity in hand is the state that the user saw. A save since then is a conflict.
      seen.note = was
      scratch.update(seen) { $0.note = text }
      return try await save()
    case .delete(let id):
      // A deletion that is sent again finds nothing.
      guard let seen = try await find(id) else { return nil }
      if seen.kind == .quake {
        scratch.update(seen) { $0.isHidden = true }
      } else {
        scratch.delete(seen)
      }
      // The winds may have moved the sighting since. The edit made here wins.
      try await scratch.save(.mergeMine)
    case .undo:
      guard scratch.undo() != nil else { return nil }
      try await scratch.save(.mergeTheirs)
    }
    return nil
  }

  /// Ends a conflict by the user's decision.
  func resolve(keepsMine: Bool) async throws {
    if scratch.hasChanges { try await scratch.save(keepsMine ? .mergeMine : .mergeTheirs) }
  }

  private func find(_ id: String) async throws -> Sighting? {
    let sighting = try await view.find(Sighting.self, id)
    return sighting?.isHidden == true ? nil : sighting
  }

  private func save() async throws -> Conflict? {
    do {
      try await scratch.save(.error)
    } catch let error as StoreError where error.code == .conflict {
      return error.conflicts.first
    }
    return nil
  }

  struct Missing: Error, CustomStringConvertible {
    var description: String { "It has been deleted meanwhile." }
  }
}
