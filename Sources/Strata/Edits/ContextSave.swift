/// The save of a context; at most one save is under way.
///
/// idle ─begin→ saving ─committed, failed→ idle
struct ContextSave: Sendable {
  /// The edits that a save takes to the writer.
  struct Cargo: Sendable {
    let id: Int
    let layer: Layer
    /// The number of the first part of the undo history that the save writes.
    let firstPart: Int
  }

  private enum State: Sendable {
    /// No save is under way.
    case idle
    /// The save waits for the layer below, or until the context shows it.
    case saving(Cargo)
  }

  private var state = State.idle
  private var lastID = 0

  /// The edits that are being saved.
  var cargo: Cargo? { if case .saving(let cargo) = state { cargo } else { nil } }

  /// Begins a save.
  ///
  /// - Precondition: no save is under way.
  mutating func begin(_ layer: Layer, firstPart: Int) -> Cargo {
    switch state {
    case .saving: fatalError("a save began while another one was under way")
    case .idle:
      lastID += 1
      let cargo = Cargo(id: lastID, layer: layer, firstPart: firstPart)
      state = .saving(cargo)
      return cargo
    }
  }

  /// Ends a save that the context shows now, and returns its edits.
  ///
  /// - Returns: nil if a different save or none is under way.
  mutating func committed(_ id: Int) -> Cargo? {
    guard let cargo, cargo.id == id else { return nil }
    state = .idle
    return cargo
  }

  /// Ends the save that was refused, and returns its edits; nil if no save is under way.
  mutating func failed() -> Cargo? {
    defer { state = .idle }
    return cargo
  }
}
