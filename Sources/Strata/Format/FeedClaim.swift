/// An import's promise to bring the store to what a server sent.
package struct FeedClaim: Sendable {
  let entry: CacheIdentity
  let token: String
  /// What the server said; asked for when everything was read.
  let value: @Sendable () -> String
}
