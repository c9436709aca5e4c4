/// The user's edits of notes, as the outbox and the store must have them.
struct UserEdits {
  /// The edits that the server has not acknowledged.
  private(set) var waiting: [Int: LocalEdit] = [:]
  /// The edits that the server acknowledged since the last refresh began.
  private(set) var acknowledged: [Int: LocalEdit] = [:]
  /// The notes that the user edited, or whose edits were refused, since the last refresh began.
  private(set) var touched: Set<Int> = []

  /// The notes of which a request was sent without an answer.
  private var uncertain: Set<Int> = []

  mutating func beginRefresh() { (acknowledged, touched) = ([:], []) }

  mutating func add(_ edit: LocalEdit, to id: Int) {
    touched.insert(id)
    waiting[id] = waiting[id]?.followed(by: edit) ?? edit
  }

  /// Notes that the server has everything of a note.
  mutating func acknowledge(_ id: Int) {
    guard let edit = waiting.removeValue(forKey: id) else { return }
    acknowledged[id] = acknowledged[id]?.followed(by: edit) ?? edit
  }

  /// Notes that the server has an edit of a note, but not the later edit.
  mutating func acknowledge(_ id: Int, _ edit: LocalEdit?, butNot later: LocalEdit) {
    waiting[id] = edit
    acknowledge(id)
    waiting[id] = later
  }

  /// Notes that the server may have received all edits that wait.
  mutating func loseAnswers() { uncertain.formUnion(waiting.keys) }

  /// Forgets the values of an edit that the server had already, as one of its rows has told.
  mutating func narrow(_ id: Int, to names: Set<String>) {
    guard uncertain.contains(id), case .written(let title, let text)? = waiting[id] else { return }
    waiting[id] = .written(
      title: names.contains("title") ? title : nil, text: names.contains("text") ? text : nil)
  }

  mutating func refuse(_ id: Int) { touched.insert(id) }

  mutating func giveUp(_ id: Int) { waiting[id] = nil }

  /// Forgets a deletion that the outbox does not have.
  ///
  /// The outbox drops a row that was inserted and deleted before a push. It has sent the deletion of a
  /// row that the server knew.
  mutating func forgetDeletion(of id: Int) {
    giveUp(id)
    if acknowledged[id] != nil { acknowledged[id] = .deleted }
  }

  /// Checks that the rows after a refresh have the edits.
  ///
  /// - Parameter ownEdits: the notes that the server itself edited since the refresh began.
  func check(_ rows: [Int: SharedNote], ownEdits: Set<Int>) throws {
    for (id, edit) in waiting {
      try Contradiction.unless(
        edit.isContained(in: rows[id]?.shared), "\(id) was \(edit), and is \(rows[id] as Any)")
    }
    // An answer may be older than the edits that were pushed beside the refresh.
    for (id, edit) in acknowledged where !ownEdits.contains(id) {
      let all = waiting[id].map(edit.followed) ?? edit
      try Contradiction.unless(
        all.isContained(in: rows[id]?.shared),
        "\(id) was \(all), which is pushed, and is \(rows[id] as Any)")
    }
  }
}
