/// The layer below a scratch context, into which its saves go.
enum ScratchParent {
  case store
  /// - Parameter layers: the layers of the context and of its ancestors, as of the child's creation or its last
  ///   refresh.
  case view(ViewContext, layers: LayerStack)
  case scratch(ScratchContext, layers: LayerStack)

  var layers: LayerStack {
    switch self {
    case .store: LayerStack()
    case .view(_, let layers), .scratch(_, let layers): layers
    }
  }

  /// Gets another snapshot in the place of one that a suspension took from a child.
  nonisolated(nonsending) func replaceSnapshot(of lost: ReadState) async throws(StoreError) {
    switch self {
    case .store: break
    case .view(let view, _): try await view.pinned()
    case .scratch(let context, _):
      if context.below.state === lost { try await context.replaceSnapshot() }
    }
  }

  /// Returns the newest state that a child can read, and the layers over it; nil for the store.
  nonisolated(nonsending) func newest() async -> (state: ReadState, parent: ScratchParent)? {
    switch self {
    case .store: return nil
    case .view(let view, _):
      let (snapshot, layers) = await view.base
      return (ReadState(snapshot), .view(view, layers: layers))
    case .scratch(let context, _):
      return (context.below.share(), .scratch(context, layers: context.layers))
    }
  }

  /// Puts a child's edits on top of the context's edits; nil for the store.
  ///
  /// - Parameter state: the state that the child reads.
  nonisolated(nonsending) func absorb(
    _ layer: Layer, over state: ReadState, _ policy: SavePolicy
  ) async throws(StoreError) -> [Edits.Absorbed]? {
    switch self {
    case .store: nil
    case .view(let view, _): try await view.absorb(layer, policy)
    case .scratch(let context, _): try context.absorb(layer, over: state, policy)
    }
  }
}
