/// The edits of one row that wait to be pushed.
///
/// Edits made since the row was handed to a server are kept apart from the edits that were handed
/// over. So the later edits are neither lost nor taken for acknowledged, whatever the outcome of
/// the request.
struct OutboxEntry: Sendable, Equatable {
  /// The edits that a server may already have received.
  struct HandedOver: Sendable, Equatable {
    /// The commit that noted the hand-over; later edits have greater numbers.
    let commit: Int64
    var attributes: AttributeSet
    /// Whether the row was also handed over earlier, with an unknown outcome.
    var isUncertain = false
  }

  /// The last commit that edited the row.
  private(set) var commit: Int64
  /// Whether the server certainly has the row.
  private(set) var isKnown: Bool
  private(set) var isDeleted: Bool
  /// The attributes that were edited since the row was handed over.
  private(set) var attributes: AttributeSet
  private(set) var handedOver: HandedOver?
  /// The row as the server knows it, encoded; nil if the server does not know the row.
  private(set) var original: [UInt8]?
  /// The server's reason for refusing the row as it is; nil for a row that may be sent.
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

  /// Creates the entry for the first edit of a row.
  init(_ change: Change, commit: Int64, encode: (Record) -> [UInt8]) {
    let edited =
      change.differences ?? change.after.map { AttributeSet.all($0.count) } ?? AttributeSet()
    self.init(
      commit: commit, isKnown: change.before != nil, isDeleted: change.after == nil,
      attributes: edited, handedOver: nil, original: change.before.map(encode))
  }

  /// The kind of change that a server is to make.
  var kind: PushRequest.Kind { isDeleted ? .delete : isKnown ? .update : .insert }

  /// The attributes that were edited here and that the server may not have.
  var editedAttributes: AttributeSet {
    handedOver.map { attributes.union($0.attributes) } ?? attributes
  }

  /// Returns the attributes that only this store knows.
  ///
  /// For a row that was inserted or deleted here, these are all attributes.
  func attributesKnownHere(of table: Table) -> AttributeSet {
    kind == .update ? editedAttributes : .all(table.columns.count)
  }

  /// Adds another edit.
  ///
  /// - Returns: whether anything is left to push. The deletion of a row that no server has heard of
  ///   leaves nothing.
  mutating func edit(
    _ change: Change, commit: Int64, encode: (Record) -> [UInt8], decode: ([UInt8]) -> Record?
  ) -> Bool {
    if !isDeleted, let before = change.before { learn(before, encode, decode) }
    self.commit = commit
    // The edit turns the refused request into a different request.
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
      // The deletion may have reached the server. An update would then find no row there.
      if handedOver != nil { isKnown = false }
      isDeleted = false
      attributes = .all(after.count)
    }
    return true
  }

  /// Takes the values that imports brought since the first edit for the server's.
  private mutating func learn(
    _ row: Record, _ encode: (Record) -> [UInt8], _ decode: ([UInt8]) -> Record?
  ) {
    guard let original, let known = decode(original), known.count == row.count else { return }
    let newer = row.replacing(editedAttributes, from: known)
    if newer != known { self.original = encode(newer) }
  }

  /// Notes that a server may know all edits of the row, as of this commit.
  mutating func handOver(at commit: Int64) {
    handedOver = HandedOver(
      commit: commit, attributes: editedAttributes, isUncertain: handedOver != nil)
    attributes = AttributeSet()
  }

  /// Notes that the server has done a request.
  ///
  /// - Parameters:
  ///   - commit: the commit that ``handOver(at:)`` noted. If the row was handed over again since,
  ///     nothing changes, because the outcome of the newer request is not known.
  ///   - sent: the row as it was sent, encoded.
  /// - Returns: whether anything is left to push.
  mutating func acknowledge(_ kind: PushRequest.Kind, at commit: Int64, sent: [UInt8]?) -> Bool {
    guard let handedOver, handedOver.commit == commit else { return true }
    if self.commit <= commit { return false }
    self.handedOver = nil
    isKnown = kind != .delete
    original = isKnown ? sent : nil
    return isKnown || !isDeleted
  }

  /// Notes that the server has refused a request.
  ///
  /// The server then knows none of the row's edits, unless an earlier request for the row has
  /// reached it.
  ///
  /// - Parameter commit: the commit that ``handOver(at:)`` noted. If the row was handed over again
  ///   since, nothing changes, because the outcome of the newer request is not known.
  /// - Returns: whether anything is left to push. A row whose insertion the server refused and that
  ///   was deleted meanwhile leaves nothing.
  mutating func refuse(_ kind: PushRequest.Kind, _ reason: String, at commit: Int64) -> Bool {
    // A row that was edited meanwhile makes a different request.
    if handedOver?.commit == commit, self.commit <= commit { refusal = reason }
    return postpone(kind, at: commit)
  }

  /// Notes that the server takes a request later.
  ///
  /// The server then knows none of the row's edits, as after a refusal.
  ///
  /// - Parameter commit: the commit that ``handOver(at:)`` noted. If the row was handed over again
  ///   since, nothing changes.
  /// - Returns: whether anything is left to push.
  mutating func postpone(_ kind: PushRequest.Kind, at commit: Int64) -> Bool {
    guard let handedOver, handedOver.commit == commit else { return true }
    // An earlier request may have reached the server.
    if handedOver.isUncertain { return true }
    self.handedOver = nil
    if isDeleted { return isKnown }
    // The server still has the row that it did not delete.
    if kind == .delete { isKnown = true }
    attributes.formUnion(handedOver.attributes)
    return true
  }

  /// Lets a refused row be sent again.
  mutating func retry() { refusal = nil }

  // MARK: - Rebasing

  /// The row after a rebase, and whether the entry is still needed.
  struct Rebased: Sendable {
    /// The row with the edits that remain; nil if there is no row.
    let row: Record?
    /// Whether any edit is left to push.
    let isLeft: Bool
  }

  /// Moves the waiting edits onto a newer row of the server.
  ///
  /// An attribute that was not edited takes the server's value. An edit that the server has already
  /// is done. Any other edit stays, or is merged by the rule of its attribute. An edit of a row that
  /// the server has deleted goes, as under the policy `mergeMine`.
  ///
  /// - Parameters:
  ///   - server: the server's row; nil if the server has none.
  ///   - local: the stored row, with the edits.
  mutating func rebase(
    onto server: Record?, local: Record?, in table: Table, encode: (Record) -> [UInt8],
    decode: ([UInt8]) -> Record?
  ) -> Rebased {
    // The server has not heard of the insertion.
    if !isKnown && server == nil { return Rebased(row: local, isLeft: true) }
    let edits = edits(of: local, over: original.flatMap(decode)).merged(with: server, by: table)
    let conflicting = edits.change.conflicts(with: server, count: table.columns.count)
    let rebased = edits.change.resolved(
      onto: server, conflicting, by: table.policy(.mergeMine))
    let row = rebased.map(\.after) ?? server
    guard let server, row != server else { return Rebased(row: server, isLeft: false) }
    isKnown = true
    original = encode(server)
    if let row { keep(row.differences(from: server)) }
    return Rebased(row: row, isLeft: true)
  }

  /// Returns the edits as a change of the row that the server had.
  private func edits(of local: Record?, over known: Record?) -> Change {
    guard !isDeleted, let local, let known, known.count == local.count else {
      return Change(before: known, after: isDeleted ? nil : local)
    }
    return Change(before: known, after: known.replacing(editedAttributes, from: local))
  }

  /// Keeps the edits of some attributes alone.
  private mutating func keep(_ left: AttributeSet) {
    attributes = attributes.intersection(left)
    if let sent = handedOver?.attributes { handedOver?.attributes = sent.intersection(left) }
    // If the server has another row with the key of an insertion, the insertion becomes an update.
    attributes.formUnion(left.subtracting(editedAttributes))
  }
}
