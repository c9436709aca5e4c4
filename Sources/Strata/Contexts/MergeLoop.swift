/// The task that brings the view context to each new commit, strictly in sequence.
///
/// It holds the view context only during a turn, so it does not keep the context alive. It ends
/// when the stack closes.
enum MergeLoop {
  /// Hands a turn to the view context.
  ///
  /// Returns the keys whose records the view context needs first, none if it shows the turn; nil if
  /// the view context no longer exists.
  fileprivate typealias Deliver = @Sendable (MergeTurn) async -> [TableID: Set<RecordKey>]?

  static func start(_ writer: Writer, _ maintainer: Maintainer, _ view: ViewContext) {
    let deliver: Deliver = { [weak view] turn in await view?.merge(turn) }
    StoreDeadline.withNone { _ = Task { await maintainer.run(writer, deliver) } }
  }
}

extension Maintainer {
  /// Pulls, advances and delivers until the writer closes.
  fileprivate func run(_ writer: Writer, _ deliver: MergeLoop.Deliver) async {
    while let step = await writer.nextMergeStep() {
      guard var turn = await advance(step) else { continue }
      var isDelivered = true
      while let missing = await deliver(turn), !missing.isEmpty {
        isDelivered = await read(missing, writer.model, into: &turn)
        if !isDelivered { break }
      }
      if isDelivered { didDeliver(turn) } else { takeBack(turn) }
    }
  }

  /// Reads the records that a turn lacks; false if a suspension took its snapshot.
  private func read(
    _ missing: [TableID: Set<RecordKey>], _ model: Model, into turn: inout MergeTurn
  ) async -> Bool {
    for (table, keys) in missing {
      do throws(StoreError) {
        let records = try await turn.snapshot.records(model[table], keys: keys)
        for key in keys { turn.stored[table, default: [:]][key] = .some(records[key]) }
      } catch {
        if error.code == .suspended { return false }
        turn.unreadable.insert(table)
      }
    }
    return true
  }
}
