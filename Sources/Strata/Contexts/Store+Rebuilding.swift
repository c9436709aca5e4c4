internal import Foundation
internal import StrataSQLite

extension Store {
  /// Opens a store; if the rule says so, sets aside an unreadable store and creates a new one.
  static func open(
    _ options: StoreOptions, ifUnreadable rule: UnreadableStore
  ) async throws(StoreError) -> (Store, SetAsideStore?) {
    let file = FileState(ofDatabaseAt: options.path).number
    let unreadable: StoreError
    do throws(StoreError) {
      let store = try await open(options)
      guard let damage = await store.damage(rule.probe) else { return (store, nil) }
      await store.close()
      unreadable = damage
    } catch {
      unreadable = error
    }
    guard !options.isReadOnly, rule.rebuilds(after: unreadable) else { throw unreadable }
    let date = options.settings.now()
    let move = SetAside(options.path, .unreadable)
    let isSame = { FileState(ofDatabaseAt: options.path).number == file }
    let outcome = try move.move(at: date, keeping: rule.kept, if: isSame, after: unreadable)
    let store = try await open(options)
    switch outcome {
    case .moved(let url): return (store, SetAsideStore(url: url, error: unreadable, date: date))
    case .isAnother: return (store, nil)
    }
  }

  /// Returns the damage that `PRAGMA quick_check` finds, if the rule asks for it.
  ///
  /// - Returns: nil for a sound store, and for a check that fails for another reason, such as
  ///   `busy`.
  private func damage(_ probe: UnreadableStore.Probe) async -> StoreError? {
    guard probe == .wholeFile else { return nil }
    let check = writer.enqueue(.urgent) { writer throws(StoreError) in
      try writer.connection.prepared("PRAGMA quick_check(1)").first { $0.string(0) }
    }
    do throws(StoreError) {
      guard let finding = try await check.value, finding != "ok" else { return nil }
      var error = StoreError(
        .notADatabase, "the file is damaged: \(finding) (\(writer.options.path))",
        advice: StoreError.restoring)
      error.sqliteCode = ResultCode.corrupt
      return error
    } catch {
      return error.code == .notADatabase ? error : nil
    }
  }
}
