import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Pair: Entity {
  var id = 0
  var a = 0
  var b = 0

  static let schema = Schema<Pair>("pairs", key: \.id) {
    Attribute(\.a)
    Attribute(\.b)
  }
}

/// The values of `a` and `b`; nil for no row.
private typealias Values = [Int]?

/// One row that is edited here, and of which a server speaks, in any order.
///
/// Every history of five steps is run, and states that were met before are not run again.
@Suite(.inTurn) struct ServerWordTests {
  @Test func `the row is the server's word with the edits over it after any history`() throws {
    for start in [Values.none, [0, 0]] {
      var states = [(path: "", row: Row(start), rules: Rules(start))]
      for _ in 0..<5 {
        var next: [String: (path: String, row: Row, rules: Rules)] = [:]
        for (path, row, rules) in states {
          for step in Step.allCases {
            var (row, rules) = (row, rules)
            guard rules.take(step) else { continue }
            row.take(step)
            let path = "\(path) \(step)"
            guard row.matches(rules, path) else { return }
            let state = "\(row) \(rules)"
            if next[state] == nil { next[state] = (path, row, rules) }
          }
        }
        states = Array(next.values)
      }
      #expect(states.count > 1000)
    }
  }
}

private enum Step: CaseIterable {
  case editA, editAToTheirs, editB, delete, insert
  case whole, otherWhole, part, gone
  case done, refused, refusedWithAnswer, lost, laterAfterWhole, doneAfterPart, answered, revert

  /// The server's word about some of the values.
  var word: [Int: Int]? {
    switch self {
    case .whole, .laterAfterWhole: [0: 2, 1: 0]
    case .otherWhole, .answered, .refusedWithAnswer: [0: 1, 1: 2]
    case .part, .doneAfterPart: [0: 3]
    default: nil
    }
  }

  /// The edit of one value.
  var edit: (place: Int, value: Int)? {
    switch self {
    case .editA: (0, 1)
    case .editAToTheirs: (0, 2)
    case .editB: (1, 1)
    default: nil
    }
  }
}

// MARK: - The rules

/// The rules of the article "Offline first", with plain arrays.
private struct Rules {
  /// The row that the app shows.
  var shown: Values
  /// The server's values, as far as it has told.
  var server: Values
  /// The values before the first edit, for the edited values.
  var start: [Int: Int] = [:]
  /// The row before its deletion here.
  var deleted: Values = nil
  /// Whether the row was made here, and the server has not told of it.
  var isNew = false
  /// Whether a request is under way or was lost.
  var isOpen = false
  /// Whether no request is under way, and an earlier one was lost.
  var isOver = false
  var isRefused = false
  /// Whether the server has spoken since a request is open.
  var hasNews = false
  /// The row as the last request had it, and as an earlier one had it, if that was another row; nil if the
  /// outcomes of all requests are known.
  var last: Values = nil
  var earlier: Values = nil
  /// Whether the row was edited since the last request.
  var isEditedSince = false
  /// The values that these requests have.
  var handed: Set<Int> = []

  init(_ values: Values) { (shown, server) = (values, values) }

  var waits: Bool { !start.isEmpty || deleted != nil || isNew }

  /// The conflicting values; all of them if a side has no row.
  var conflicts: Set<Int> {
    if !waits || isNew || isOpen { return [] }
    guard let shown, let server else {
      return shown == nil && (server == nil || server == deleted) ? [] : [0, 1]
    }
    return Set(start.filter { server[$0] != $1 && server[$0] != shown[$0] }.keys)
  }

  /// Makes the step; false if it is impossible, or if nothing is promised about it.
  mutating func take(_ step: Step) -> Bool {
    if let edit = step.edit { return self.edit(edit.place, edit.value) }
    switch step {
    case .delete: return delete()
    case .insert:
      if shown != nil || waits { return false }
      (shown, isNew, server) = ([1, 1], true, nil)
    case .whole, .otherWhole, .part: hear(step.word)
    case .gone: hear(nil)
    case .done, .doneAfterPart, .answered: return send(step, answer: step == .answered)
    case .refused, .laterAfterWhole:
      if !waits { return false }
      let isUncertain = last != nil
      request()
      if step == .refused { isRefused = true }
      let wasOpen = isOpen
      (isOpen, isOver) = (true, false)
      if let word = step.word { hear(word) }
      // A known row tells whether the earlier request has reached the server.
      isOpen = wasOpen && isNew && server == nil
      isOver = isOpen
      if !isOpen && (hasNews || start.contains { server?[$0] != $1 }) {
        if hasNews && isUncertain { arrive() }
        settle()
      }
      if !isOpen { hasNews = false }
      if !isUncertain { forgetRequests() }
    case .refusedWithAnswer:
      // The answer tells of an earlier request, too, whose answer was lost.
      if !waits { return false }
      let isUncertain = last != nil
      request()
      (isRefused, isOpen, isOver) = (true, true, false)
      hear(step.word)
      (isOpen, hasNews) = (false, false)
      if isUncertain { arrive() }
      forgetRequests()
      settle()
    case .lost:
      if !waits || isRefused { return false }
      request()
      (isOpen, isOver) = (true, false)
    case .revert:
      if !isRefused || !waits { return false }
      shown = server
      end()
    default: return false
    }
    return true
  }

  private mutating func edit(_ place: Int, _ value: Int) -> Bool {
    guard let old = shown?[place], old != value else { return false }
    if start[place] == nil && !isNew { start[place] = old }
    // Values without an edit are the server's, and may be newer than the request.
    if last != nil && !isEditedSince { (last, isEditedSince) = (shown, true) }
    shown?[place] = value
    isRefused = false
    return true
  }

  private mutating func delete() -> Bool {
    // What a server makes of an open request and a deletion is another test's subject. The deletion of
    // a row in conflict stays in conflict.
    if shown == nil || isOpen || !conflicts.isEmpty { return false }
    if isNew {
      (shown, isNew, isRefused) = (nil, false, false)
      return true
    }
    let before = server
    (deleted, shown, start, isRefused) = (before, nil, [:], false)
    return true
  }

  private mutating func hear(_ word: [Int: Int]?) {
    // Of the other values of a row that the server has not told of, the edits stay.
    let isUnheard = isNew && last == nil && server == nil
    let unknown = isUnheard ? Set(0...1).subtracting((word ?? [:]).keys) : []
    if let word {
      var row = base ?? [0, 0]
      for (place, value) in word { row[place] = value }
      server = row
    } else {
      server = nil
    }
    // Without a request under way, the row tells that an earlier request has arrived.
    if isOver || !isOpen && last != nil, server != nil {
      (isOpen, isOver, hasNews) = (false, false, false)
      arrive()
    }
    if isOpen {
      hasNews = true
      guard let server, shown != nil, !isNew else { return }
      for place in 0...1 where start[place] == nil { shown?[place] = server[place] }
    } else {
      settle(unknown)
    }
  }

  /// The values that the server is taken to have besides those that it tells.
  private var base: Values {
    if let server { return server }
    if isNew { return earlier ?? last ?? shown }
    if let deleted { return deleted }
    guard var row = shown else { return nil }
    for (place, value) in start { row[place] = value }
    return row
  }

  /// Notes that a request is sent. The outcome of an earlier one may not be known.
  private mutating func request() {
    if last != nil, last != shown {
      earlier = isNew ? earlier ?? last : last
    }
    (last, isEditedSince) = (shown, false)
    handed.formUnion(isNew ? [0, 1] : Set(start.keys))
  }

  private mutating func forgetRequests() {
    (last, earlier, handed, isEditedSince) = (nil, nil, [], false)
  }

  /// Takes what the server's row shows of a request, whose outcome was not known, for done.
  private mutating func arrive() {
    defer { forgetRequests() }
    guard let sent = earlier ?? last, let server else { return }
    if shown == nil {
      // The row was deleted after its own request, so the deletion starts from what that request made.
      if handed.allSatisfy({ sent[$0] == server[$0] }) { deleted = server }
      return
    }
    // The row of an insertion may be another client's.
    if isNew { return }
    for place in handed where start[place] != nil && sent[place] == server[place] {
      start[place] = server[place]
    }
  }

  /// Lays the edits over the server's row.
  ///
  /// - Parameter unknown: the values of which the server has told nothing.
  private mutating func settle(_ unknown: Set<Int> = []) {
    if !waits {
      shown = server
      return
    }
    guard let server else {
      if deleted != nil { end() }
      return
    }
    if isNew {
      (isNew, start) = (false, [:])
      for place in 0...1 where shown?[place] != server[place] || unknown.contains(place) {
        start[place] = server[place]
      }
    } else if let deleted {
      if server != deleted && conflicts.isEmpty { self.deleted = server }
      return
    }
    let conflicting = conflicts
    for place in 0...1 {
      guard start[place] != nil else {
        shown?[place] = server[place]
        continue
      }
      if shown?[place] == server[place] && !unknown.contains(place) {
        start[place] = nil
      } else if !conflicting.contains(place) {
        start[place] = server[place]
      }
    }
    if !waits { end() }
  }

  private mutating func send(_ step: Step, answer: Bool) -> Bool {
    if !waits || isRefused || answer && deleted != nil { return false }
    (isOpen, isOver) = (true, false)
    if let word = step.word { hear(word) }
    if answer { shown = server }
    server = shown
    end()
    return true
  }

  private mutating func end() {
    (start, deleted, isNew, isRefused) = ([:], nil, false, false)
    (isOpen, isOver, hasNews) = (false, false, false)
    forgetRequests()
  }
}

// MARK: - The row

/// The row and its entry, as the store has them.
private struct Row {
  private static let model = try? Model([Pair.self])
  private static let layout = model.map(HistoryLayout.init)
  private static var table: Table { model!.table(of: Pair.self) }

  var local: Record?
  var entry: OutboxEntry?
  var number: Int64 = 1

  init(_ values: Values) { local = values.flatMap(Self.record) }

  static func record(_ values: [Int]) -> Record? {
    try? Record([.integer(1)] + values.map { Cell.integer(Int64($0)) })
  }

  static func values(_ record: Record?) -> Values {
    record.map { record in
      (1...2).map { column in
        if case .integer(let value) = record[column] { Int(value) } else { -1 }
      }
    }
  }

  static var coding: RowCoding { RowCoding(of: table, layout!, RecordBuilder()) }

  func matches(_ rules: Rules, _ path: String) -> Bool {
    let conflict = entry?.conflict(
      RecordKey(.integer(1)), local: local, in: Self.table, Self.coding)
    let conflicts = Set(
      (conflict?.attributes ?? []).map { ["id", "a", "b"].firstIndex(of: $0)! - 1 }
    )
    .subtracting([-1])
    let server = entry.map { Self.values($0.server(Self.coding)) }
    let isRight =
      Self.values(local) == rules.shown && (entry != nil) == rules.waits
      && conflicts == rules.conflicts && (server == nil || server! == rules.server)
    if !isRight {
      Issue.record(
        """
        \(path): \(String(describing: Self.values(local))) with \(conflicts), \
        server \(String(describing: server)), \(String(describing: entry)) is not \(rules)
        """)
    }
    return isRight
  }

  mutating func take(_ step: Step) {
    number = 1
    if let (place, value) = step.edit {
      var values = Self.values(local) ?? []
      values[place] = value
      edit(to: Self.record(values))
      return
    }
    switch step {
    case .delete: edit(to: nil)
    case .insert: edit(to: Self.record([1, 1]))
    case .whole, .otherWhole, .part, .gone: hear(step.word, isAnswer: false)
    case .done, .doneAfterPart, .answered:
      entry?.handOver(at: number)
      if let word = step.word { hear(word, isAnswer: step == .answered) }
      let isAnswered = entry?.handedOver?.isAnswered == true
      let isLeft =
        entry?.note(.done, handedOverAt: number, local: local, Self.coding) == true
      if isAnswered && !isLeft { local = entry?.server(Self.coding) }
      end(isLeft)
    case .refused:
      entry?.handOver(at: number)
      end(
        entry?.note(.refused("no"), handedOverAt: number, local: local, Self.coding) == true)
    case .refusedWithAnswer:
      entry?.handOver(at: number)
      hear(step.word, isAnswer: true)
      end(
        entry?.note(.refused("no"), handedOverAt: number, local: local, Self.coding) == true)
    case .laterAfterWhole:
      entry?.handOver(at: number)
      hear(step.word, isAnswer: false)
      end(
        entry?.note(.later, handedOverAt: number, local: local, Self.coding) == true)
    case .lost: entry?.handOver(at: number)
    default: revert()
    }
  }

  private mutating func edit(to next: Record?) {
    let change = Change(before: local, after: next)
    local = next
    guard entry != nil else {
      entry = OutboxEntry(change, commit: number, Self.coding)
      return
    }
    let isLeft = entry?.edit(change, commit: number, Self.coding)
    if isLeft != true { entry = nil }
  }

  private mutating func hear(_ word: [Int: Int]?, isAnswer: Bool) {
    let known = entry.map { $0.presumed(local, Self.coding) } ?? local
    var next: Values = nil
    var unknown = AttributeSet()
    if let word {
      next = Self.values(known) ?? Self.values(local) ?? [0, 0]
      if let entry, known == nil, !entry.isDeleted {
        unknown = AttributeSet(1...2).subtracting(AttributeSet(word.keys.map { $0 + 1 }))
      }
      for (place, value) in word { next?[place] = value }
    }
    guard entry != nil else {
      local = next.flatMap(Self.record)
      return
    }
    let rebased = entry?.note(
      next.flatMap(Self.record), unknown: unknown,
      answered: isAnswer ? AttributeSet((word ?? [:]).keys.map { $0 + 1 }) : nil, local: local,
      in: Self.table, policy: .error,
      Self.coding)
    local = rebased?.row
    if rebased?.isLeft != true { entry = nil }
  }

  /// Ends a request, as a verdict does.
  private mutating func end(_ isLeft: Bool) {
    if !isLeft {
      entry = nil
      return
    }
    let rebased = entry?.settle(
      local: local, in: Self.table, Self.coding)
    guard let rebased else { return }
    local = rebased.row
    if !rebased.isLeft { entry = nil }
  }

  private mutating func revert() {
    switch entry?.kind {
    case .insert: local = nil
    default: local = entry?.server(Self.coding)
    }
    entry = nil
  }
}
