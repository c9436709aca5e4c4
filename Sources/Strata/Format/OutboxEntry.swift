/// What waits to be pushed of one row.
///
/// What was edited since the row was handed to a server is kept apart from what was handed over:
/// whatever becomes of that, the later edits are neither lost nor taken for acknowledged.
struct OutboxEntry: Sendable, Equatable {
  /// What a server may have been sent already.
  struct HandedOver: Sendable, Equatable {
    /// The commit that noted it: later edits have greater numbers.
    let commit: Int64
    var attributes: AttributeSet
    /// Whether the row had been handed over before, and nobody knows what became of that.
    var isUncertain = false
  }

  /// The last commit that edited the row.
  private(set) var commit: Int64
  /// Whether the server has the row for certain.
  private(set) var isKnown: Bool
  private(set) var isDeleted: Bool
  /// What was edited since the row was handed over.
  private(set) var attributes: AttributeSet
  private(set) var handedOver: HandedOver?
  /// The row as the server knows it, encoded; nil if it does not know it.
  private(set) var original: [UInt8]?
  /// Why the server refused the row as it is, in the server's words; nil for a row that may be sent.
  private(set) var refusal: String?

  init(
    commit: Int64, isKnown: Bool, isDeleted: Bool, attributes: AttributeSet,
    handedOver: HandedOver?, original: [UInt8]?, refusal: String? = nil
  ) {
    self.commit = commit
    self.isKnown = isKnown
    self.isDeleted = isDeleted
    self.attributes = attributes
    self.handedOver = handedOver
    self.original = original
    self.refusal = refusal
  }

  /// The first edit of a row.
  init(_ change: Change, commit: Int64, encode: (Record) -> [UInt8]) {
    var edited = AttributeSet()
    if let after = change.after {
      edited = change.before.map { after.differences(from: $0) } ?? .all(after.count)
    }
    self.init(
      commit: commit, isKnown: change.before != nil, isDeleted: change.after == nil,
      attributes: edited, handedOver: nil, original: change.before.map(encode))
  }

  /// What a server is to do.
  var kind: PushRequest.Kind { isDeleted ? .delete : isKnown ? .update : .insert }

  /// Everything edited here that the server is not known to have.
  var editedAttributes: AttributeSet {
    handedOver.map { attributes.union($0.attributes) } ?? attributes
  }

  /// The attributes that only this store knows: whoever made or deleted a row here decides about
  /// all of it.
  func attributesKnownHere(of table: Table) -> AttributeSet {
    kind == .update ? editedAttributes : .all(table.columns.count)
  }

  /// Adds another edit.
  ///
  /// - Returns: whether anything is left to be pushed: a row that no server has heard of and that
  ///   is deleted leaves nothing.
  mutating func edit(_ change: Change, commit: Int64, encode: (Record) -> [UInt8]) -> Bool {
    self.commit = commit
    // What was refused is another request now.
    refusal = nil
    switch (change.before, change.after) {
    case (let before, nil):
      if !isKnown && handedOver == nil { return false }
      isDeleted = true
      attributes = AttributeSet()
      if original == nil { original = before.map(encode) }
    case (let before?, let after?) where !isDeleted:
      attributes.formUnion(after.differences(from: before))
    case (_, let after?):
      // The deletion may have reached the server, and an update would find nothing there.
      if handedOver != nil { isKnown = false }
      isDeleted = false
      attributes = .all(after.count)
    }
    return true
  }

  /// Notes that a server may know all of it from now on.
  mutating func handOver(at commit: Int64) {
    handedOver = HandedOver(
      commit: commit, attributes: editedAttributes, isUncertain: handedOver != nil)
    attributes = AttributeSet()
  }

  /// Notes that the server has done what it was sent.
  ///
  /// - Parameters:
  ///   - commit: that of ``handOver(at:)``; of an older one nothing is known any more.
  ///   - sent: the row as it was sent, encoded.
  /// - Returns: whether anything is left to be pushed.
  mutating func acknowledge(_ kind: PushRequest.Kind, at commit: Int64, sent: [UInt8]?) -> Bool {
    guard let handedOver, handedOver.commit == commit else { return true }
    if self.commit <= commit { return false }
    self.handedOver = nil
    isKnown = kind != .delete
    original = isKnown ? sent : nil
    return isKnown || !isDeleted
  }

  /// Notes that the server has refused what it was sent, and so knows nothing of it, unless an
  /// earlier sending of the row has reached it.
  ///
  /// - Parameter commit: that of ``handOver(at:)``; of an older one nothing is known any more.
  /// - Returns: whether anything is left to be pushed: a row that the server refused to insert and
  ///   that was deleted meanwhile leaves nothing.
  mutating func refuse(_ kind: PushRequest.Kind, _ reason: String, at commit: Int64) -> Bool {
    guard let handedOver, handedOver.commit == commit else { return true }
    // A row that was edited meanwhile is another request.
    if self.commit <= commit { refusal = reason }
    if handedOver.isUncertain { return true }
    self.handedOver = nil
    if isDeleted { return isKnown }
    // The server still has what it refused to delete.
    if kind == .delete { isKnown = true }
    attributes.formUnion(handedOver.attributes)
    return true
  }

  /// Lets a refused row be sent again.
  mutating func retry() { refusal = nil }
}
