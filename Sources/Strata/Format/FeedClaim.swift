/// An import's promise to bring the store to the state that a server sent.
package struct FeedClaim: Sendable {
  let entry: CacheIdentity
  let token: String
  /// The text of the validators that the server sent; called when the whole answer has been read.
  let value: @Sendable () -> String
}
