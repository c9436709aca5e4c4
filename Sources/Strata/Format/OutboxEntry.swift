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
    /// Whether the row was handed over to be deleted.
    var isDeletion = false
    /// The row as it was handed over, encoded; nil until the row is edited again.
    var row: [UInt8]?
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
  /// The row with the edits, encoded, if the table has the server's row in its place.
  ///
  /// The two cannot both be stored, because another row of the server has a unique value of this one.
  private(set) var aside: [UInt8]?

  init(
    commit: Int64, isKnown: Bool, isDeleted: Bool, attributes: AttributeSet,
    handedOver: HandedOver?, original: [UInt8]?, refusal: String? = nil, aside: [UInt8]? = nil
  ) {
    self.commit = commit
    self.isKnown = isKnown
    self.isDeleted = isDeleted
    self.attributes = attributes
    self.handedOver = handedOver
    self.original = original
    self.refusal = refusal
    self.aside = aside
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
    if !isDeleted, let before = change.before {
      learn(before, encode, decode)
      if handedOver?.row == nil && attributes.isEmpty { handedOver?.row = encode(before) }
    }
    self.commit = commit
    // The edit turns the refused request into a different request.
    refusal = nil
    // A row that was set aside is given up: the edit was made to the server's row.
    if aside != nil { (aside, attributes) = (nil, AttributeSet()) }
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
      commit: commit, attributes: editedAttributes, isUncertain: handedOver != nil,
      isDeletion: isDeleted)
    attributes = AttributeSet()
  }

  /// Notes that the server has not received what was handed over.
  ///
  /// - Returns: whether anything is left to push.
  mutating func takeBack() -> Bool {
    guard let handedOver else { return true }
    self.handedOver = nil
    if isDeleted { return isKnown }
    // The server still has the row that it did not delete.
    if handedOver.isDeletion { isKnown = true }
    attributes.formUnion(handedOver.attributes)
    return true
  }

  /// Notes that the server has done a request.
  ///
  /// - Parameter commit: the commit that ``handOver(at:)`` noted. If the row was handed over again
  ///   since, nothing changes, because the outcome of the newer request is not known.
  /// - Returns: whether anything is left to push.
  mutating func acknowledge(at commit: Int64) -> Bool {
    handedOver?.commit == commit ? confirm() : true
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
  mutating func refuse(_ reason: String, at commit: Int64) -> Bool {
    // A row that was edited meanwhile makes a different request.
    if handedOver?.commit == commit, self.commit <= commit { refusal = reason }
    return postpone(at: commit)
  }

  /// Notes that the server has refused what was handed over, and has none of it.
  ///
  /// - Returns: whether anything is left to push.
  mutating func refuse(_ reason: String) -> Bool {
    if let handedOver, commit <= handedOver.commit { refusal = reason }
    return takeBack()
  }

  /// Notes that the server takes a request later.
  ///
  /// The server then knows none of the row's edits, as after a refusal.
  ///
  /// - Parameter commit: the commit that ``handOver(at:)`` noted. If the row was handed over again
  ///   since, nothing changes.
  /// - Returns: whether anything is left to push.
  mutating func postpone(at commit: Int64) -> Bool {
    guard let handedOver, handedOver.commit == commit else { return true }
    // An earlier request may have reached the server.
    if handedOver.isUncertain { return true }
    return takeBack()
  }

  /// Notes that the server has everything that was handed over.
  ///
  /// The later edits then start from the row that was handed over.
  ///
  /// - Returns: whether anything is left to push.
  mutating func confirm() -> Bool {
    guard let handedOver else { return true }
    self.handedOver = nil
    if commit <= handedOver.commit { return false }
    if handedOver.isDeletion {
      // The row was inserted again.
      (isKnown, original) = (false, nil)
    } else {
      isKnown = true
      original = handedOver.row ?? original
    }
    return isKnown || !isDeleted
  }

  /// Lets a refused row be sent again.
  mutating func retry() { (refusal, aside) = (nil, nil) }

  /// Notes that the table gets the server's row in the place of the edited row.
  mutating func setAside(_ row: [UInt8], because reason: String) {
    aside = row
    refusal = refusal ?? reason
  }

  // MARK: - Rebasing

  /// The server's row with the waiting edits.
  struct Edited: Sendable {
    /// Nil if there is no row.
    let row: Record?
    /// The edits over the server's row; nil if they are an insertion of which the server has not heard.
    var meeting: Meeting?

    /// Whether others changed one of the attributes, too, and no rule decides about it.
    var isConflicting: Bool { meeting.map { !$0.conflicting.isEmpty } ?? false }
  }

  /// The row after a rebase, and whether the entry is still needed.
  struct Rebased: Sendable {
    /// The row with the edits that remain; nil if there is no row.
    let row: Record?
    /// Whether any edit is left to push.
    let isLeft: Bool
    /// The edits that conflict with those of others.
    var conflict: Edited?
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
    if aside != nil {
      let isGone = isKnown && server == nil
      if let server { (isKnown, original) = (true, encode(server)) }
      return Rebased(row: server, isLeft: !isGone)
    }
    let known = original.flatMap(decode)
    let edited = edited(server, local: local, known: known, in: table)
    let row = edited.row
    // The server has not heard of the insertion.
    if !isKnown && server == nil { return Rebased(row: row, isLeft: true) }
    let sent = handedOver?.row.flatMap(decode)
    // The server may show what it was sent before it confirms it.
    let conflict = !edited.isConflicting || server == sent ? nil : edited
    guard let server, row != server else {
      return Rebased(row: server, isLeft: false, conflict: conflict)
    }
    if let sent {
      let edits = edits(of: sent, over: known, handedOver?.attributes ?? AttributeSet())
      handedOver?.row = edits.edited(server, in: table).row.map(encode)
    }
    isKnown = true
    original = encode(server)
    if let row { keep(row.differences(from: server)) }
    return Rebased(row: row, isLeft: true, conflict: conflict)
  }

  /// Lays the waiting edits over the server's row.
  ///
  /// - Parameters:
  ///   - server: the server's row; nil if the server has none.
  ///   - local: the stored row, with the edits.
  ///   - known: the row from which the edits started.
  func edited(
    _ server: Record?, local: Record?, known: Record?, in table: Table
  ) -> Edited {
    if !isKnown && server == nil { return Edited(row: local) }
    // A row that cannot be read any more says nothing of the attributes that were not edited.
    let base = known ?? (isKnown ? server : nil)
    return edits(of: isDeleted ? nil : local, over: base, editedAttributes)
      .edited(server, in: table)
  }

  /// Returns the edits of some attributes as a change of the row that the server had.
  private func edits(
    of local: Record?, over known: Record?, _ attributes: AttributeSet
  ) -> Change {
    guard let local, let known, known.count == local.count else {
      return Change(before: known, after: local)
    }
    return Change(before: known, after: known.replacing(attributes, from: local))
  }

  /// Keeps the edits of some attributes alone.
  private mutating func keep(_ left: AttributeSet) {
    attributes = attributes.intersection(left)
    if let sent = handedOver?.attributes { handedOver?.attributes = sent.intersection(left) }
    // If the server has another row with the key of an insertion, the insertion becomes an update.
    attributes.formUnion(left.subtracting(editedAttributes))
  }
}

extension Change {
  /// Lays the edit over the server's row, by the rules of the attributes and then by the policy
  /// `mergeMine`.
  fileprivate func edited(_ server: Record?, in table: Table) -> OutboxEntry.Edited {
    let meeting = table.meet(self, server)
    let resolved = meeting.resolved(by: table.policy(.mergeMine))
    return OutboxEntry.Edited(row: resolved.map(\.after) ?? server, meeting: meeting)
  }
}
