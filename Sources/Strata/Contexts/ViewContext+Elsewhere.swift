// Changes of many rows. They are made to a copy of what the context shows, on another thread, and the main actor
// takes the copy over in one short turn.
//
// idle ─begin→ making ─unchanged meanwhile→ shown;  making ─edited meanwhile→ making (again)
// making ─edited meanwhile, for the third time→ made and shown in one turn

extension ViewContext {
  /// Whether a change has so many rows that it is made elsewhere.
  func isLarge(_ rows: Int) -> Bool { rows > store.writer.options.settings.bounds.changedAtOnce }

  /// How often a change is made again, because somebody has edited the context meanwhile.
  private static let attempts = 3

  /// A change that was made to a copy.
  struct MadeElsewhere<Result: Sendable>: Sendable {
    fileprivate let layers: ViewLayers
    fileprivate let changed: [ResultVersions.Changed]
    let result: Result

    /// Makes a change to a copy.
    fileprivate init<Failure: Error>(
      _ change: (inout ContextVersion) throws(Failure) -> Result, to version: ContextVersion
    ) throws(Failure) {
      var version = version
      result = try change(&version)
      layers = version.layers
      changed = version.results.takeChanged()
    }
  }

  /// Makes a large change elsewhere, and shows it in one turn.
  ///
  /// Merge turns wait meanwhile, and so do other such changes. Edits do not: after an edit, the change is made
  /// again, and after three attempts in the turn itself.
  ///
  /// - Throws: what `change` throws, and `closed`; then nothing is changed.
  func changeElsewhere<Result: Sendable>(
    _ change: @escaping @Sendable (inout ContextVersion) throws(StoreError) -> Result
  ) async throws(StoreError) -> Result {
    await waitForChangeElsewhere()
    if isClosed { throw .closed }
    var made: Swift.Result<Result, StoreError>?
    let isShown = await attemptElsewhere { version -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try change(&version)) } catch {
        return .failure(error)
      }
    } show: { attempt in
      made = attempt.result
      if case .success = attempt.result { changing { take(attempt) } }
    }
    if !isShown {
      let attempt = try MadeElsewhere(change, to: version)
      made = .success(attempt.result)
      changing { take(attempt) }
    }
    reportStatus()
    guard let made else { throw .closed }
    return try made.get()
  }

  /// Makes a change to a copy, until nothing has changed meanwhile, and shows it.
  ///
  /// - Returns: false if somebody has edited the context during each attempt.
  func attemptElsewhere<Result: Sendable>(
    _ change: @escaping @Sendable (inout ContextVersion) -> Result,
    show: (MadeElsewhere<Result>) -> Void
  ) async -> Bool {
    isChangingElsewhere = true
    defer {
      isChangingElsewhere = false
      elsewhere.resumeAll()
    }
    for _ in 0..<Self.attempts {
      let edition = edition
      let made = await Self.made(change, to: version)
      if edition == self.edition && made.changed.allSatisfy(isUnchanged) {
        show(made)
        return true
      }
    }
    return false
  }

  @concurrent
  private nonisolated static func made<Result: Sendable>(
    _ change: @Sendable (inout ContextVersion) -> Result, to version: ContextVersion
  ) async -> MadeElsewhere<Result> {
    MadeElsewhere(change, to: version)
  }

  private var version: ContextVersion {
    ContextVersion(layers: layers, results: results.versions)
  }

  private func isUnchanged(_ made: ResultVersions.Changed) -> Bool {
    guard let contents = results[made.number] else { return true }
    return contents.edition == made.edition
  }

  /// Takes over a change, within a change of the context.
  func take<Result>(_ made: MadeElsewhere<Result>) {
    var replaced: [any Sendable] = [layers]
    layers = made.layers
    for change in made.changed {
      guard let result = results.result(change.number) else { continue }
      replaced.append(result.contents)
      result.change { $0 = change.contents }
    }
    afterChange(of: self) { [replaced = Replaced(replaced)] in replaced.releaseElsewhere() }
  }

  func waitForChangeElsewhere() async {
    await elsewhere.wait(for: .change) { isChangingElsewhere }
  }
}

/// Values that were replaced: freeing many rows would hold up the main actor.
private final class Replaced: Sendable {
  private let values: Lock<[any Sendable]>

  init(_ values: [any Sendable]) { self.values = Lock(values) }

  func releaseElsewhere() { Task.detached { self.values.withLock { $0 = [] } } }
}
