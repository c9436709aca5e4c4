extension StackDiagnostics: CustomStringConvertible {
  public var description: String {
    var lines = [
      "store \(file.path), commit \(commit)",
      "  file: \(file.size) bytes, \(file.pages) pages of \(file.pageSize), \(file.freePages) free; "
        + "log: \(file.logSize) bytes, \(file.logUsed) used",
      "  writer: \(waitingWrites) waiting; \(cache.size) bytes of pages, \(cache.hits) hits, "
        + "\(cache.misses) misses, \(cache.writes) written; \(cache.statements) statements",
      "  under way: \(activity.isIdle ? "nothing" : activity.names); \(unpushedRows) rows to push",
      "  streams: \(streams.count), \(unreadCommits) commits unread",
    ]
    lines += streams.map { "    \($0)" }
    lines.append("  readers: \(readers), snapshots: \(snapshots.count)")
    lines += snapshots.map { snapshot in
      let holders = snapshot.holders.map(\.description).joined(separator: ", ")
      return "    commit \(snapshot.commit), \(commit - snapshot.commit) behind"
        + (holders.isEmpty ? "" : ": " + holders)
    }
    lines.append("  live queries: \(liveQueries.count)")
    for live in liveQueries { lines += ["    \(live)", "      \(live.sql)"] }
    if !statements.isEmpty { lines.append("  statements: \(statements.count)") }
    for statement in statements {
      lines +=
        ["    \(statement)", "      \(statement.sql)"] + statement.plan.map { "        \($0)" }
    }
    return lines.joined(separator: "\n")
  }
}

extension StackDiagnostics.Holder: CustomStringConvertible {
  public var description: String {
    kind.rawValue + (name.map { " \"\($0)\"" } ?? "") + " for \(age)"
  }
}

extension StackDiagnostics.Stream: CustomStringConvertible {
  public var description: String {
    "\(unread) unread of \(entity ?? "everything"), \(isOfView ? "view context" : "stack")"
  }
}

extension StackDiagnostics.Live: CustomStringConvertible {
  public var description: String {
    "\(entity): \(isLoaded ? "\(rows) rows" : "not loaded"), \(statistics.wakes) wakes, "
      + "\(statistics.loads) loads, \(statistics.refills) refills, "
      + "\(statistics.maintainedChanges) changes in \(statistics.maintenance)"
  }
}

extension StackDiagnostics.Statement: CustomStringConvertible {
  public var description: String {
    "\(total) in \(runs) runs of the \(isOfWriter ? "writer" : "readers"), at most \(longest); "
      + "\(rows) rows, \(scannedRows) scanned"
  }
}
