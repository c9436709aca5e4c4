// The merge turns of the view context.

extension ViewContext {
  /// Merges everything that was committed since the last turn.
  ///
  /// A turn that brings many rows under many edits is made elsewhere first.
  ///
  /// - Returns: the keys whose stored records must be read first; empty when the turn is done.
  func merge(_ turn: MergeTurn) async -> [TableID: Set<RecordKey>] {
    await waitForChangeElsewhere()
    let missing = missing(for: turn)
    if !missing.isEmpty { return missing }
    sweep()
    if isLarge(turn) { return await mergeElsewhere(turn) }
    mergeAtOnce(turn)
    return [:]
  }

  /// Whether edits and a turn both have so many rows that merging them takes long.
  private func isLarge(_ turn: MergeTurn) -> Bool {
    let saved = turn.completedSave?.report.changes.values.reduce(0) { $0 + $1.count } ?? 0
    return isLarge(min(layers.editCount, max(saved, turn.changes?.count ?? 0)))
  }

  private func mergeAtOnce(_ turn: MergeTurn) {
    var results = results
    let updated = results.numbers(of: turn.updates.keys)
    merge(turn) {
      layers.merge(turn, updating: updated, &results) { close($0, of: $1) }
    }
  }

  private func mergeElsewhere(_ turn: MergeTurn) async -> [TableID: Set<RecordKey>] {
    let updated = results.numbers(of: turn.updates.keys)
    let isMerged = await attemptElsewhere { version in
      var unwanted: [(id: LiveID, number: Int)] = []
      version.layers.merge(turn, updating: updated, &version.results) { unwanted.append(($0, $1)) }
      return unwanted
    } show: { made in
      self.merge(turn) { self.take(made) }
      for query in made.result { self.close(query.id, of: query.number) }
    }
    if isMerged { return [:] }
    // An edit since may have made other rows necessary.
    let missing = missing(for: turn)
    if missing.isEmpty { mergeAtOnce(turn) }
    return missing
  }

  private func sweep() {
    results.sweep { ids in
      Task { [maintainer] in for id in ids { await maintainer.close(id) } }
    }
  }
}
