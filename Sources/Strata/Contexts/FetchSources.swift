extension ViewContext: FetchSource {
  public func _answer<Value: Sendable>(
    _ request: _FetchRequest<Value>
  ) async throws(StoreError) -> Value {
    try await reading { fetch throws(StoreError) in try await request.run(fetch) }
  }
}

extension ScratchContext: FetchSource {
  public nonisolated(nonsending) func _answer<Value: Sendable>(
    _ request: _FetchRequest<Value>
  ) async throws(StoreError) -> Value {
    try await reading { fetch throws(StoreError) in try await request.run(fetch) }
  }
}

extension Stack: FetchSource {
  public nonisolated(nonsending) func _answer<Value: Sendable>(
    _ request: _FetchRequest<Value>
  ) async throws(StoreError) -> Value {
    try await store.reading { snapshot throws(StoreError) in
      try await request.run(
        LayeredFetch(snapshot: snapshot, layers: LayerStack(), model: store.model))
    }
  }
}
