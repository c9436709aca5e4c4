// Scratch contexts over a scratch context, whose saves become its unsaved edits.

extension ScratchContext {
  /// Puts a child's edits on top of this context's edits, rebased onto the rows that it shows.
  ///
  /// The rows below may be newer than this context's edits. A child's edit is therefore compared
  /// with these edits over the row from which it starts.
  ///
  /// - Parameter state: the state that the child reads.
  func absorb(
    _ layer: Layer, over state: ReadState, _ policy: SavePolicy
  ) throws(StoreError) -> [Edits.Absorbed] {
    checkUse()
    let layers = layers
    let absorbed = try edits.rebased(layer, by: policy) { table, key, start in
      layers.state(of: key, in: table, over: start)
    }
    for change in absorbed { edits.absorb(change) }
    if state !== below.state { edits.followsRows = true }
    edits.undo.endEvent()
    return absorbed
  }
}
