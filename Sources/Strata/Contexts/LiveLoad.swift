/// The query that a live result shows, the state of its load, and the query that comes next.
///
/// new ─open→ loading ─loaded→ loaded;  loading ─failed→ failed ─loaded→ loaded
/// failed ─retry→ loading
/// loaded ─failed→ stale (shows the old rows) ─loaded→ loaded;  any ─finish→ finished
///
/// A second machine runs beside it, for the query that replaces the current one:
/// loading ─failed→ failed ─change→ loading
/// none ─change→ loading ─loaded→ none (the next query is then the current one)
struct LiveLoad: Sendable {
  /// The query that is shown.
  enum Current: Sendable {
    /// Never opened; the error says why, if there is one.
    case unopened(StoreError?)
    /// Opened, and waiting for the first result.
    case loading(LiveID)
    /// There is no result; the next commit tries the load again, and so does a retry.
    case failed(LiveID, StoreError)
    case loaded(LiveID)
    /// The rows are of an earlier commit; the next commit tries the load again.
    case stale(LiveID, StoreError)

    var id: LiveID? {
      switch self {
      case .unopened: nil
      case .loading(let id), .failed(let id, _), .loaded(let id), .stale(let id, _): id
      }
    }
  }

  /// The query that replaces the current one.
  enum Next: Sendable {
    case none
    case loading(LiveID)
    case failed(StoreError)

    /// The query that is being loaded.
    var id: LiveID? { if case .loading(let id) = self { id } else { nil } }
  }

  /// The meaning of a result.
  enum Outcome: Sendable, Equatable {
    /// The query is no longer wanted.
    case unwanted
    /// The rows are those of the current query.
    case current(isFirst: Bool)
    /// The rows are those of the next query, which becomes the current one.
    case replaced(LiveID?, isFirst: Bool)
    /// The current query could not be loaded.
    case failed
    /// The next query could not be loaded; the current query stays.
    case changeFailed
  }

  private(set) var current: Current
  private(set) var next = Next.none
  private(set) var isFinished = false

  init(_ error: StoreError? = nil) { current = .unopened(error) }

  // MARK: Events

  mutating func open(_ id: LiveID) {
    guard case .unopened = current else { fatalError("a live result is opened once: \(current)") }
    if !isFinished { current = .loading(id) }
  }

  /// Begins to load the current query again, if its first load failed.
  ///
  /// - Returns: the failed load.
  mutating func retry(as id: LiveID) -> LiveID? {
    guard case .failed(let failed, _) = current, !isFinished else { return nil }
    current = .loading(id)
    return failed
  }

  /// Begins to change the query.
  ///
  /// - Returns: the unfinished change that this one replaces.
  mutating func change(to id: LiveID) -> LiveID? {
    let superseded = next.id
    if isFinished { return superseded }
    next = .loading(id)
    // If the current query never had a result, its error no longer counts: the next query is
    // awaited.
    switch current {
    case .unopened(_?): current = .unopened(nil)
    case .failed(let id, _): current = .loading(id)
    case .unopened(nil), .loading, .loaded, .stale: break
    }
    return superseded
  }

  /// Notes why the query cannot be changed.
  mutating func changeFailed(_ error: StoreError) { if !isFinished { next = .failed(error) } }

  /// Takes a result of the maintainer.
  mutating func take(_ id: LiveID, _ error: StoreError?) -> Outcome {
    if isFinished { return .unwanted }
    if next.id == id {
      if let error {
        next = .failed(error)
        return .changeFailed
      }
      let (old, wasLoaded) = (current.id, isLoaded)
      (current, next) = (.loaded(id), .none)
      return .replaced(old, isFirst: !wasLoaded)
    }
    if current.id != id { return .unwanted }
    let wasLoaded = isLoaded
    if let error {
      current = wasLoaded ? .stale(id, error) : .failed(id, error)
      return .failed
    }
    current = .loaded(id)
    return .current(isFirst: !wasLoaded)
  }

  mutating func finish() { isFinished = true }

  // MARK: Reading

  /// Whether there are rows to show.
  var isLoaded: Bool {
    switch current {
    case .unopened, .loading, .failed: false
    case .loaded, .stale: true
    }
  }

  /// Whether the rows are those of the view context's commit.
  var isCurrent: Bool { if case .loaded = current { !isFinished } else { false } }

  /// Whether no change of the query is in progress or has failed.
  var isUnchanging: Bool { if case .none = next { true } else { false } }

  /// Whether a requested result is still missing.
  var isAwaited: Bool {
    if isFinished { return false }
    if next.id != nil { return true }
    if case .loading = current { return true }
    return false
  }

  /// Why the result could not be loaded.
  var loadError: StoreError? {
    switch current {
    case .unopened(let error): error
    case .failed(_, let error), .stale(_, let error): error
    case .loading, .loaded: nil
    }
  }

  /// Why the query could not be changed, or why its result could not be loaded.
  var error: StoreError? { if case .failed(let error) = next { error } else { loadError } }

  /// Whether the maintainer's result of a query is still wanted.
  func wants(_ id: LiveID) -> Bool { current.id == id || next.id == id }
}
