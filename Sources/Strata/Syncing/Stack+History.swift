extension Stack {
  /// The author of imports in the history, if they have no other author: `import`.
  public static let importAuthor = ServerAuthors.importing
  /// The author of evictions in the history: `strata.eviction`.
  ///
  /// The name is reserved: no commit of this author waits to be pushed.
  public static let evictionAuthor = EvictionBatch.author

  /// The token right after the newest commit that this process knows.
  ///
  /// Get the token before you read the data that belongs to it. Commits in between are then
  /// reported twice rather than not at all.
  public var historyToken: HistoryToken { historyToken(at: store.newestCommit) }

  /// Returns the token right after a commit.
  ///
  /// The commit may be one that ``ViewContext/save(_:)`` returned or that a ``ChangeSet`` names.
  public func historyToken(at commit: Int64) -> HistoryToken {
    HistoryToken(commit: commit, store: store.identity)
  }

  /// Returns all commits since a token, of every process, oldest first; since nil, all that are
  /// kept.
  ///
  /// Commits are recorded by stacks that are opened with ``StackOptions/history``. Reading needs no such
  /// option. Nothing is read before the first element is requested.
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
