// Calls that a stack and its contexts do not have. The compiler shows their messages.

extension FetchSource {
  @available(*, unavailable, message: "fetch a query: 'fetch(Song.all)'")
  @_disfavoredOverload
  public func fetch<E: Entity>(_ type: E.Type) async throws -> [E] { fatalError() }

  @available(*, unavailable, renamed: "first(_:)")
  public func fetchOne<E: Entity>(_ query: Query<E>) async throws -> E? { fatalError() }

  @available(*, unavailable, message: "name the entity: 'find(Song.self, id)'")
  @_disfavoredOverload
  public func find<ID: AttributeValue, E: Entity>(_ id: ID) async throws -> E? { fatalError() }
}

extension Stack {
  @available(
    *, unavailable, message: "edit a context: 'viewContext', or the context of 'withScratch'"
  )
  public func insert<E: Entity>(_ entity: E) { fatalError() }

  @available(
    *, unavailable, message: "edit a context: 'viewContext', or the context of 'withScratch'"
  )
  public func delete<E: Entity>(_ entity: E) { fatalError() }

  @available(
    *, unavailable, message: "save a context: 'viewContext', or the context of 'withScratch'"
  )
  public func save() async throws { fatalError() }

  @available(*, unavailable, renamed: "withScratch(_:)")
  public func perform<R>(_ body: (ScratchContext) async throws -> R) async throws -> R {
    fatalError()
  }

  @available(*, unavailable, renamed: "withScratch(_:)")
  public func write<R>(_ body: (ScratchContext) async throws -> R) async throws -> R {
    fatalError()
  }

  @available(*, unavailable, renamed: "viewContext")
  @MainActor public var mainContext: ViewContext { fatalError() }

  @available(*, unavailable, renamed: "makeScratch()")
  public func newBackgroundContext() -> ScratchContext { fatalError() }
}

extension ViewContext {
  @available(
    *, unavailable,
    message:
      "change the entity in a closure, 'update(song) { $0.title = \"…\" }', or 'upsert' the copy"
  )
  @_disfavoredOverload
  public func update<E: Entity>(_ entity: E) { fatalError() }
}

extension ScratchContext {
  @available(
    *, unavailable,
    message:
      "change the entity in a closure, 'update(song) { $0.title = \"…\" }', or 'upsert' the copy"
  )
  @_disfavoredOverload
  public func update<E: Entity>(_ entity: E) { fatalError() }

  @available(*, unavailable, message: "only the view context has live queries")
  public func live<E: Entity>(_ query: Query<E>) -> LiveQuery<E> { fatalError() }
}
