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
    /// The attributes that the server has answered the request with; nil if its newest row is no answer.
    var answered: AttributeSet?
    /// Whether the request is under way no longer, and only the server's row tells whether it has arrived.
    var isOver = false
    /// The row as it was handed over, encoded; nil until the row is edited again.
    var row: [UInt8]?
    /// The row as an earlier request had it, encoded, if that may have arrived and the row was edited since.
    var earlier: [UInt8]?

    /// Whether the server's newest row is its answer to the request.
    var isAnswered: Bool { answered != nil }

    /// Returns the row as the last request had it; nil for a deletion.
    func last(_ local: Record?, _ coding: RowCoding) -> Record? {
      isDeletion ? nil : row.flatMap(coding.decode) ?? local
    }
  }

  /// The newest row of a server, if it is not the row from which the edits started.
  enum Newest: Sendable, Equatable {
    case gone
    /// - Parameter row: the encoded row.
    case row([UInt8])
  }

  /// The last commit that edited the row.
  private(set) var commit: Int64
  /// No earlier commit made one of the edits. Edits of one commit reach a server together if they can.
  private(set) var first: Int64
  /// Whether the server certainly has the row.
  private(set) var isKnown: Bool
  private(set) var isDeleted: Bool
  /// The attributes that were edited since the row was handed over.
  private(set) var attributes: AttributeSet
  private(set) var handedOver: HandedOver?
  /// The row from which the edits started, encoded; nil if the server does not know the row.
  ///
  /// Each edited attribute has the value that it had before its first edit, and every other attribute
  /// has the value that it had then.
  private(set) var original: [UInt8]?
  /// The newest row of the server; nil if that is ``original``.
  private(set) var newest: Newest?
  /// The server's reason for refusing the row as it is; nil for a row that may be sent.
  private(set) var refusal: String?
  /// The row with the edits, encoded, if the table has the server's row in its place.
  ///
  /// The two cannot both be stored, because another row of the server has a unique value of this one.
  private(set) var aside: [UInt8]?

  init(
    commit: Int64, isKnown: Bool, isDeleted: Bool, attributes: AttributeSet,
    handedOver: HandedOver?, original: [UInt8]?, newest: Newest? = nil, refusal: String? = nil,
    aside: [UInt8]? = nil, first: Int64? = nil
  ) {
    self.commit = commit
    self.first = first ?? commit
    self.isKnown = isKnown
    self.isDeleted = isDeleted
    self.attributes = attributes
    self.handedOver = handedOver
    self.original = original
    self.newest = newest
    self.refusal = refusal
    self.aside = aside
  }

  /// Creates the entry for the first edit of a row.
  init(_ change: Change, commit: Int64, _ coding: RowCoding) {
    let edited =
      change.differences ?? change.after.map { AttributeSet.all($0.count) } ?? AttributeSet()
    self.init(
      commit: commit, isKnown: change.before != nil, isDeleted: change.after == nil,
      attributes: edited, handedOver: nil, original: change.before.map(coding.encode))
  }

  /// The kind of change that a server is to make next.
  var kind: PushRequest.Kind {
    isDeleted || repeatsDeletion ? .delete : isKnown ? .update : .insert
  }

  /// Whether the row is here again after a deletion that may not have reached the server.
  ///
  /// The deletion is then sent once more, and the row is inserted after it. A server that still has the
  /// old row would refuse the insertion.
  var repeatsDeletion: Bool { !isDeleted && handedOver?.isDeletion == true }

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
    _ change: Change, commit: Int64, _ coding: RowCoding
  ) -> Bool {
    if !isDeleted, let before = change.before {
      if let after = change.after { begin(after.differences(from: before), before, coding) }
      if handedOver?.row == nil && attributes.isEmpty { handedOver?.row = coding.encode(before) }
    }
    self.commit = commit
    // The edit turns the refused request into a different request.
    refusal = nil
    // A row that was set aside is given up: the edit was made to the server's row.
    if aside != nil { (aside, attributes) = (nil, AttributeSet()) }
    switch (change.before, change.after) {
    case (let before, nil):
      if !isKnown && handedOver == nil { return false }
      if let before, !isConflicting(before, coding) { startFromServer() }
      isDeleted = true
      attributes = AttributeSet()
      if original == nil { original = before.map(coding.encode) }
    case (let before?, let after?) where !isDeleted:
      attributes.formUnion(after.differences(from: before))
    case (_, let after?):
      // The deletion may have reached the server. An update would then find no row there.
      if handedOver?.isDeletion == true { isKnown = false }
      isDeleted = false
      attributes = .all(after.count)
    }
    return true
  }

  /// Notes the values from which the edits of some attributes start, unless they were edited before.
  private mutating func begin(
    _ edited: AttributeSet, _ row: Record, _ coding: RowCoding
  ) {
    guard let original, let known = coding.decode(original), known.count == row.count else {
      return
    }
    let start = known.replacing(edited.subtracting(editedAttributes), from: row)
    if start != known { self.original = coding.encode(start) }
  }

  /// Returns whether an edited attribute of the row conflicts with the server's newest row.
  private func isConflicting(_ row: Record, _ coding: RowCoding) -> Bool {
    guard let original, let known = coding.decode(original), let server = server(coding) else {
      return newest == .gone
    }
    if known.count != row.count || server.count != row.count { return true }
    return !editedAttributes.intersection(server.differences(from: known))
      .isDisjoint(with: server.differences(from: row))
  }

  /// Notes that the edits from here on start from the server's newest row.
  private mutating func startFromServer() {
    guard handedOver == nil, case .row(let server) = newest else { return }
    (original, newest) = (server, nil)
  }

  /// Notes that no server has had the row: the edits become an insertion.
  ///
  /// - Parameter count: the number of attributes.
  /// - Returns: false for an insertion, and for a deletion.
  mutating func becomeInsertion(_ count: Int) -> Bool {
    guard isKnown, !isDeleted else { return false }
    (isKnown, original, newest, attributes) = (false, nil, nil, .all(count))
    return true
  }

  /// Notes that a server may know all edits of the row, as of this commit; only the deletion, if it is
  /// repeated.
  mutating func handOver(at commit: Int64) {
    if repeatsDeletion {
      handedOver = HandedOver(
        commit: commit, attributes: AttributeSet(), isUncertain: true, isDeletion: true)
      return
    }
    // The first insertion makes the row, and the last update is its newest form.
    let earlier =
      isKnown ? handedOver?.row ?? handedOver?.earlier : handedOver?.earlier ?? handedOver?.row
    handedOver = HandedOver(
      commit: commit, attributes: editedAttributes, isUncertain: handedOver != nil,
      isDeletion: isDeleted, earlier: earlier)
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

  /// Notes that a request is under way no longer, and that its outcome is not known.
  ///
  /// A deletion may still arrive after an insertion of its row, so it is sent once more in any case.
  ///
  /// - Returns: whether that was not noted before.
  mutating func lose() -> Bool {
    guard let handedOver, !handedOver.isOver, !handedOver.isDeletion else { return false }
    self.handedOver?.isOver = true
    return true
  }

  /// Notes the server's verdict on a request.
  ///
  /// - Parameters:
  ///   - verdict: nil if the request is under way no longer, and its outcome is not known.
  ///   - commit: the commit that ``handOver(at:)`` noted. If the row was handed over again since, nothing
  ///     changes, because the outcome of the newer request is not known.
  ///   - local: the stored row, with the edits. It counts only if the server has answered the request, or may
  ///     have an earlier one.
  /// - Returns: whether anything is left to push. A row whose insertion the server refused and that
  ///   was deleted meanwhile leaves nothing.
  mutating func note(
    _ verdict: PushVerdict?, handedOverAt commit: Int64, local: Record?, _ coding: RowCoding
  ) -> Bool {
    guard handedOver?.commit == commit else { return true }
    switch verdict {
    case .done: return acknowledge(local, coding)
    // The server still has the row, which is here again: the row is updated there.
    case .refused where repeatsDeletion: return takeBack()
    case .refused(let reason):
      // A row that was edited meanwhile makes a different request.
      if self.commit <= commit { refusal = reason }
      return postpone(local, coding)
    case .later: return postpone(local, coding)
    case nil:
      _ = lose()
      return true
    }
  }

  /// Notes that the server has done the request.
  ///
  /// Edited attributes that the server's answer does not have are there as they were sent.
  private mutating func acknowledge(_ local: Record?, _ coding: RowCoding) -> Bool {
    guard let handedOver, let answered = handedOver.answered, case .row(let row) = newest,
      let server = coding.decode(row),
      let sent = handedOver.row.flatMap(coding.decode) ?? local, sent.count == server.count
    else { return confirm() }
    let answer = server.replacing(handedOver.attributes.subtracting(answered), from: sent)
    newest = .row(coding.encode(answer))
    let isLeft = confirm()
    // What the server made of the request's own values is no change of another.
    if isLeft && isKnown {
      original = coding.encode(
        isDeleted ? answer : sent.replacing(handedOver.attributes, from: answer))
    }
    return isLeft
  }

  /// Notes that the server has not done the request.
  ///
  /// The server then knows none of the row's edits, or those that its answer has, unless an earlier
  /// request for the row has reached it. Only its answer to this request tells.
  private mutating func postpone(_ local: Record?, _ coding: RowCoding) -> Bool {
    guard let handedOver else { return true }
    if handedOver.isUncertain && !handedOver.isAnswered {
      self.handedOver?.isOver = true
      return true
    }
    if handedOver.isAnswered, case .row(let row) = newest {
      if handedOver.isUncertain, let server = coding.decode(row) {
        noteArrivals(in: server, local: local, coding)
      }
      isKnown = true
    }
    return takeBack()
  }

  /// Takes the handed-over edits back if no request is under way and the server's row tells whether it has them.
  private mutating func takeBackIfOver(
    _ server: Record?, local: Record?, _ coding: RowCoding
  ) {
    guard let handedOver, handedOver.isOver, isKnown || server != nil else { return }
    if let server { noteArrivals(in: server, local: local, coding) }
    isKnown = true
    _ = takeBack()
  }

  /// Moves the edits of requests that a row of the server shows to have arrived onto that row.
  ///
  /// If the server has the row of an insertion, values that the insertion left out are the server's, such as a
  /// number that it gave. Other values that differ stay edits, because the row may be another client's. An
  /// update has arrived as far as the server has its values. Edits since then start from these values.
  private mutating func noteArrivals(
    in server: Record, local: Record?, _ coding: RowCoding
  ) {
    guard let handedOver, let sent = sent(local, coding), sent.count == server.count else {
      return
    }
    if !isKnown, let last = handedOver.last(local, coding) {
      let given = (0..<last.count).filter { last.isNull($0) && sent.isNull($0) }
      self.handedOver?.attributes = AttributeSet.all(last.count).subtracting(AttributeSet(given))
      original = coding.encode(server)
      return
    }
    guard let known = original.flatMap(coding.decode), known.count == server.count else { return }
    let arrived = handedOver.attributes.subtracting(sent.differences(from: server))
    let hasAll = isDeleted && arrived == handedOver.attributes
    original = coding.encode(hasAll ? server : known.replacing(arrived, from: server))
  }

  /// Returns the row as the first request of unknown outcome had it; nil if there is none.
  private func sent(_ local: Record?, _ coding: RowCoding) -> Record? {
    handedOver?.earlier.flatMap(coding.decode) ?? handedOver?.last(local, coding)
  }

  /// Notes that the server has everything that was handed over.
  ///
  /// The later edits then start from the row that was handed over.
  private mutating func confirm() -> Bool {
    guard let handedOver else { return true }
    let isRepeated = repeatsDeletion
    self.handedOver = nil
    // Any other row of the server may be older than the row that was handed over.
    if !handedOver.isAnswered { newest = nil }
    if commit <= handedOver.commit && !isRepeated { return false }
    first = min(commit, handedOver.commit + 1)
    if handedOver.isDeletion {
      // The row was inserted again.
      (isKnown, original) = (false, nil)
    } else {
      isKnown = true
      original = handedOver.row ?? original
    }
    return isKnown || !isDeleted
  }

  /// Gives up the edits of some attributes, which no request has.
  ///
  /// - Returns: whether anything is left to push.
  mutating func giveUp(_ given: AttributeSet) -> Bool {
    attributes = attributes.subtracting(given)
    return !attributes.isEmpty || handedOver != nil || !isKnown
  }

  /// Adds edits that were made to a row which has become one with this row.
  mutating func add(_ edited: AttributeSet) { attributes.formUnion(edited) }

  /// Replaces the encoded rows.
  mutating func mapRows(
    _ transform: ([UInt8]) throws(StoreError) -> [UInt8]
  ) throws(StoreError) {
    original = try original.map(transform)
    let (sent, earlier) = (
      try handedOver?.row.map(transform), try handedOver?.earlier.map(transform)
    )
    handedOver?.row = sent
    handedOver?.earlier = earlier
    aside = try aside.map(transform)
    if case .row(let row) = newest { newest = .row(try transform(row)) }
  }

  /// Lets a refused row be sent again.
  mutating func retry() { (refusal, aside) = (nil, nil) }

  /// Whether the table may get the server's row in the place of the edited row.
  var mayBeSetAside: Bool { aside == nil && !isDeleted }

  /// Notes that the table gets the server's row in the place of the edited row.
  mutating func setAside(_ row: [UInt8], because reason: String) {
    aside = row
    refusal = refusal ?? reason
  }

  // MARK: - Rebasing

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
  /// is done. Any other edit stays, or is merged by the rule of its attribute. If the server has a
  /// third value and no rule, the policy decides.
  ///
  /// - Parameters:
  ///   - server: the server's row; nil if the server has none.
  ///   - local: the stored row, with the edits.
  ///   - policy: the policy for edits in conflict. With `error` such edits stay, and the entry keeps the
  ///     server's row beside the row from which they started.
  ///   - unknown: the attributes of which the server has told nothing. Their edits stay.
  mutating func rebase(
    onto server: Record?, local: Record?, in table: Table, policy: SavePolicy = .mergeMine,
    unknown: AttributeSet = AttributeSet(),
    _ coding: RowCoding
  ) -> Rebased {
    if aside != nil {
      let isGone = isKnown && server == nil
      if isGone && policy == .error {
        // The edit is told as before. It makes the row anew.
        (isKnown, original, newest, attributes) = (false, nil, nil, .all(table.columns.count))
        return Rebased(row: nil, isLeft: true)
      }
      if let server { (isKnown, original, newest) = (true, coding.encode(server), nil) }
      return Rebased(row: server, isLeft: !isGone)
    }
    let known = original.flatMap(coding.decode)
    let edited = edited(server, local: local, known: known, in: table, policy: policy)
    // The server has not heard of the insertion.
    if !isKnown && server == nil {
      newest = nil
      return Rebased(row: edited.row, isLeft: true)
    }
    let sent = handedOver?.row.flatMap(coding.decode)
    // The server may show what it was sent before it confirms it.
    let isOwn = sent != nil && server == sent
    let conflict = !edited.isConflicting || isOwn ? nil : edited
    if let conflict, isKnown, table.policy(policy) == .error {
      return keep(conflict, over: known, coding)
    }
    newest = nil
    let row = edited.row
    guard let server else {
      // The edit makes the row anew.
      if row != nil { (isKnown, original, attributes) = (false, nil, .all(table.columns.count)) }
      return Rebased(row: row, isLeft: row != nil, conflict: conflict)
    }
    if row == server && unknown.isEmpty {
      return Rebased(row: server, isLeft: false, conflict: conflict)
    }
    if let sent {
      let attributes = handedOver?.attributes ?? AttributeSet()
      let edits = edits(of: sent, over: known, attributes)
      handedOver?.row =
        edits.edited(attributes, server, in: table, policy: .mergeMine).row.map(coding.encode)
    }
    isKnown = true
    original = coding.encode(server)
    if let row { keep(row.differences(from: server).union(unknown)) }
    return Rebased(row: row, isLeft: true, conflict: conflict)
  }

  /// Keeps edits in conflict, with the server's row beside the row from which they started.
  ///
  /// The edits that do not conflict now start from the server's values. The attributes without an edit
  /// keep the version that was edited.
  private mutating func keep(
    _ edited: Edited, over known: Record?, _ coding: RowCoding
  ) -> Rebased {
    guard let meeting = edited.meeting else { return Rebased(row: edited.row, isLeft: true) }
    newest = meeting.stored.map { .row(coding.encode($0)) } ?? .gone
    if let server = meeting.stored, let known, known.count == server.count {
      let settled = editedAttributes.subtracting(meeting.conflicting)
      original = coding.encode(known.replacing(settled, from: server))
      if let row = edited.row { keep(row.differences(from: server)) }
    }
    return Rebased(row: edited.row, isLeft: true, conflict: edited)
  }

  // MARK: - The server's words

  /// Returns the newest row that the server is known to have; nil if it has none, or if that row cannot
  /// be read any more.
  func server(_ coding: RowCoding) -> Record? {
    switch newest {
    case nil: original.flatMap(coding.decode)
    case .gone: nil
    case .row(let row): coding.decode(row)
    }
  }

  /// Returns the conflict of the edits with the server's newest row; nil if there is none, or if a
  /// verdict is still to come.
  func conflict(
    _ key: RecordKey, local: Record?, in table: Table, _ coding: RowCoding
  ) -> Conflict? {
    guard handedOver == nil, aside == nil, newest != nil else { return nil }
    return edited(server(coding), local: local, known: original.flatMap(coding.decode), in: table)
      .conflict(key, in: table)
  }

  /// Returns the row to which a record of some attributes adds its values.
  ///
  /// The other attributes are as the server is known to have them, or as a request had them that may have
  /// arrived; nil if nothing is known of them.
  func presumed(_ local: Record?, _ coding: RowCoding) -> Record? {
    if let known = server(coding) { return known }
    if !isKnown { return sent(local, coding) }
    return edits(
      of: isDeleted ? nil : local, over: original.flatMap(coding.decode), editedAttributes
    ).before
  }

  /// Notes a row of an import, which may be older than a request under way.
  ///
  /// - Parameters:
  ///   - server: the server's row; nil if the server has none.
  ///   - unknown: the attributes of which the server has told nothing.
  ///   - answered: the attributes that the import has, if the row is the server's answer to a request.
  mutating func note(
    _ server: Record?, unknown: AttributeSet = AttributeSet(), answered: AttributeSet?,
    local: Record?,
    in table: Table, policy: SavePolicy,
    _ coding: RowCoding
  ) -> Rebased {
    takeBackIfOver(server, local: local, coding)
    guard handedOver != nil else {
      return rebase(
        onto: server, local: local, in: table, policy: policy, unknown: unknown, coding)
    }
    // Only the verdict tells whether the server's row has the edits.
    newest = server.map { .row(coding.encode($0)) } ?? .gone
    if let answered {
      let known = handedOver?.answered ?? AttributeSet()
      handedOver?.answered = known.union(answered)
    }
    if aside != nil { return Rebased(row: server, isLeft: true) }
    guard !isDeleted, let server, let local, server.count == local.count else {
      return Rebased(row: local, isLeft: true)
    }
    return Rebased(row: server.replacing(editedAttributes, from: local), isLeft: true)
  }

  /// Moves the edits onto the row that an import brought while a request was under way.
  ///
  /// - Returns: nil if no import did, or if the next verdict is still to come.
  mutating func settle(
    local: Record?, in table: Table, _ coding: RowCoding
  ) -> Rebased? {
    guard let newest else { return nil }
    let server = server(coding)
    if case .row = newest, server == nil { return nil }
    takeBackIfOver(server, local: local, coding)
    if handedOver != nil { return nil }
    return rebase(
      onto: server, local: local, in: table, policy: .error, coding)
  }

  /// Lays the waiting edits over the server's row.
  ///
  /// - Parameters:
  ///   - server: the server's row; nil if the server has none.
  ///   - local: the stored row, with the edits.
  ///   - known: the row from which the edits started.
  func edited(
    _ server: Record?, local: Record?, known: Record?, in table: Table,
    policy: SavePolicy = .mergeMine
  ) -> Edited {
    if !isKnown && server == nil { return Edited(row: local) }
    // A row that cannot be read any more says nothing of the attributes that were not edited.
    let base = known ?? (isKnown ? server : nil)
    return edits(of: isDeleted ? nil : local, over: base, editedAttributes)
      .edited(editedAttributes, server, in: table, policy: policy)
  }

  /// Returns the edits of some attributes as a change of a row that had the values before them.
  private func edits(
    of local: Record?, over known: Record?, _ attributes: AttributeSet
  ) -> Change {
    guard let local, let known, known.count == local.count else {
      return Change(before: known, after: local)
    }
    return Change(before: local.replacing(attributes, from: known), after: local)
  }

  /// Keeps the edits of some attributes alone.
  private mutating func keep(_ left: AttributeSet) {
    attributes = attributes.intersection(left)
    if let sent = handedOver?.attributes { handedOver?.attributes = sent.intersection(left) }
    // If the server has another row with the key of an insertion, the insertion becomes an update.
    attributes.formUnion(left.subtracting(editedAttributes))
  }
}
