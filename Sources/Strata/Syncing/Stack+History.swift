extension Stack {
  /// Who commits imports, as the history says it, unless something else is said: `import`.
  public static let importAuthor = "import"
  /// Who commits evictions, as the history says it: `strata.eviction`. Reserved: nothing that this
  /// author commits waits to be pushed.
  public static let evictionAuthor = EvictionBatch.author

  /// The place in the history that this process has got to: right after the newest commit that it
  /// knows.
  ///
  /// Ask for it before you read what goes with it: what is committed in between is then told twice
  /// rather than not at all.
  public var historyToken: HistoryToken { historyToken(at: store.newestCommit) }

  /// The place right after a commit, such as one that ``ViewContext/save(_:)`` returned or that a
  /// ``ChangeSet`` names.
  public func historyToken(at commit: Int64) -> HistoryToken {
    HistoryToken(commit: commit, store: store.identity)
  }

  /// Everything committed since a token, by every process, oldest first; since nil everything that
  /// is kept.
  ///
  /// Commits are recorded by stacks that are opened with ``Options/history``; reading needs none.
  /// Nothing is read before the first element is asked for.
  ///
  /// ```swift
  /// for try await entry in stack.history(since: token) where entry.author != "sync" {
  ///   try await push(entry.changes.changes(of: Song.self))
  ///   token = entry.token
  /// }
  /// ```
  public func history(since token: HistoryToken? = nil) -> CommitHistory {
    CommitHistory(store, since: token)
  }
}
