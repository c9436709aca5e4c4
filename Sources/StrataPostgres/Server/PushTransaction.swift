#if Postgres
  internal import Strata
  internal import StrataReplica

  /// The edits of a push, inside its transaction on the server.
  ///
  /// A row that the server refuses is found by halving: each attempt checks all constraints at its
  /// end. *n* refused rows of *m* cost O(*n* log *m*) attempts. The only savepoint stands after
  /// everything that the server has taken, so an attempt that fails takes nothing else back.
  ///
  /// A row that another transaction holds is left out, with the edits that its commits have made to other
  /// rows. So the rows of a commit reach the server together.
  struct PushTransaction {
    /// An edit and the rows that it is about.
    private struct Item {
      let step: PushOrder.Step
      let key: RecordKey
      let mapping: TableMapping
      let edit: ServerEdit
      /// The server's row; nil for none.
      var server: Record?

      var write: RowWrite? {
        mapping.write(key, from: server, to: edit.row(onto: server))
      }
    }

    private let session: PostgresSession
    private let builder: RecordBuilder
    private let server: ServerTables
    private var items: [Item]
    private var plan: PushPlan
    /// The edits that the server did not make.
    private(set) var verdicts: [ServerVerdict] = []
    /// The rows with a verdict, or with none because another transaction holds them.
    private var decided: Set<PushOrder.Row> = []
    /// The number of edits that were not made because another transaction holds their rows.
    private(set) var lockedCount = 0
    /// The edits whose rows another transaction holds.
    private var locked: [Int] = []
    /// The numbers of the edits of each table, in the order in which the tables are locked.
    private let tables: [[Int]]

    init(
      _ session: PostgresSession, _ edits: [ServerEdit], _ builder: RecordBuilder,
      _ server: ServerTables
    ) {
      self.session = session
      self.builder = builder
      self.server = server
      plan = PushPlan(edits.map(\.step))
      let items = edits.map {
        Item(step: $0.step, key: $0.key, mapping: server[$0.table], edit: $0)
      }
      self.items = items
      var refusals: [(Int, RefusalReason)] = []
      let good = items.indices.filter { number in
        let refusal = items[number].mapping.refusal(of: items[number].key)
        if let refusal { refusals.append((number, refusal)) }
        return refusal == nil
      }
      tables = Dictionary(grouping: good) { items[$0].mapping.number }
        .sorted { $0.key < $1.key }.map(\.value)
      for (number, refusal) in refusals { refuse(number, refusal) }
    }

    /// The conflicts of the edits that the server makes with its rows.
    var conflicts: [Conflict] {
      made.compactMap { $0.edit.conflict(with: $0.server) }
    }

    /// The edits that the server makes.
    private var made: [Item] {
      if verdicts.isEmpty { return items }
      let others = Set(verdicts.map { PushOrder.Row(table: $0.table.id, key: $0.key) })
      return items.filter { !others.contains($0.step.row) }
    }

    /// A statement that tells other replicas of the rows in which edits of this push replace their values; nil for
    /// none.
    ///
    /// - Parameters:
    ///   - known: the rows of conflicts that were found before.
    ///   - conflicts: the conflicts of this push.
    func replacements(
      _ known: Set<PushOrder.Row>, _ conflicts: [Conflict]
    ) -> ServerStatement? {
      let rows = known.union(conflicts.filter { $0.theirs != nil }.map(\.row))
      if rows.isEmpty { return nil }
      let told = made.filter { rows.contains($0.step.row) && $0.write != nil }
      if told.isEmpty { return nil }
      return ServerStatement(
        "INSERT INTO strata.replaced (tbl, key) SELECT * FROM unnest($1::int2[], $2::text[])",
        [
          told.map { "\($0.mapping.number)" }.arrayText,
          told.map { $0.mapping.text($0.key) }.arrayText,
        ])
    }

    // MARK: - Reading

    /// The statements that read and lock the server's rows, table by table.
    var reads: [ServerStatement] {
      tables.map { select($0, waits: false) } + [.init("SAVEPOINT strata")]
    }

    /// Takes the results of ``reads``.
    mutating func take(_ results: ArraySlice<PostgresResult>) throws(ReplicaError) {
      for (numbers, result) in zip(tables, results) { try take(result, numbers) }
      leaveLocked()
    }

    /// Reads the tables one by one, and refuses the edits of those that the role may not write.
    mutating func readEach() throws(ReplicaError) {
      try session.run("SAVEPOINT strata")
      for numbers in tables {
        do throws(ReplicaError) {
          try take(try session.run(select(numbers, waits: false)), numbers)
          try session.run(Self.keep)
        } catch {
          guard error.isAboutRows else { throw error }
          try session.run("ROLLBACK TO strata")
          try check(error)
          for number in numbers { refuse(number, RefusalReason(error)) }
        }
      }
      leaveLocked()
    }

    /// Edits of a table that has changed wait. They are not refused.
    ///
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if an error came because the tables have
    ///   changed.
    private func check(_ error: ReplicaError) throws(ReplicaError) {
      if error.isAboutNames { try server.check(session) }
    }

    private static let keep = "RELEASE strata; SAVEPOINT strata"

    private func select(_ numbers: [Int], waits: Bool) -> ServerStatement {
      let mapping = items[numbers[0]].mapping
      let keys = numbers.map { mapping.text(items[$0].key) }
      return .init(mapping.selectForUpdate(waits: waits), [keys.arrayText], isBinary: true)
    }

    private mutating func take(_ result: PostgresResult, _ numbers: [Int]) throws(ReplicaError) {
      let mapping = items[numbers[0]].mapping
      let page = try mapping.page(result, builder)
      let rows = Dictionary(page.rows) { $1 }
      for number in numbers {
        let key = items[number].key
        items[number].server = rows[key]
        if let flaw = page.flaws[key] { refuse(number, RefusalReason(flaw)) }
      }
      try findLocked(numbers.filter { items[$0].server == nil && items[$0].edit.isKnown })
    }

    /// Notes the rows that the server has and that another transaction holds.
    private mutating func findLocked(_ numbers: [Int]) throws(ReplicaError) {
      let open = numbers.filter { !decided.contains(items[$0].step.row) }
      guard let first = open.first else { return }
      let mapping = items[first].mapping
      let keys = open.map { mapping.text(items[$0].key) }
      let found = try session.run(.init(mapping.selectKeys, [keys.arrayText]))
      var held: Set<RecordKey> = []
      for row in 0..<found.count { held.insert(try mapping.key(found.text(row, 0) ?? "")) }
      locked += open.filter { held.contains(items[$0].key) }
    }

    /// Leaves out the edits of locked rows, with those of the same commits.
    private mutating func leaveLocked() {
      if locked.isEmpty { return }
      let all = CommitGroups(items.map(\.step.commits)).all(with: locked)
      for number in all where !decided.contains(items[number].step.row) { leave(number) }
    }

    // MARK: - Writing

    /// Makes all edits and commits them, if the server takes all of them; false if it does not.
    ///
    /// - Parameter last: a statement before the commit.
    func commitAll(with last: ServerStatement?) throws(ReplicaError) -> Bool {
      if !decided.isEmpty { return false }
      do throws(ReplicaError) {
        try write(
          Array(items.indices), then: [last, .init("COMMIT")].compactMap(\.self))
        return true
      } catch {
        guard error.isAboutRows else { throw error }
        try session.run("ROLLBACK TO strata")
        return false
      }
    }

    /// Makes all edits that the server takes.
    mutating func run() throws(ReplicaError) {
      try attempt(items.startIndex..<items.endIndex)
      for item in items where !decided.contains(item.step.row) && !plan.admits(item.step) {
        verdicts.append(ServerVerdict(item.edit.table, item.key, refusal: nil))
      }
    }

    private mutating func attempt(_ range: Range<Int>) throws(ReplicaError) {
      let numbers = range.filter {
        !decided.contains(items[$0].step.row) && plan.admits(items[$0].step)
      }
      guard let first = numbers.first else { return }
      do throws(ReplicaError) { return try write(numbers) } catch {
        guard error.isAboutRows else { throw error }
        try session.run("ROLLBACK TO strata")
        if numbers.count > 1 {
          let middle = numbers[numbers.count / 2]
          try attempt(range.lowerBound..<middle)
          return try attempt(middle..<range.upperBound)
        }
        try decide(first, after: error)
      }
    }

    /// Decides about an edit that the server has not made alone.
    ///
    /// An answer that may be about the row is, if it comes again.
    private mutating func decide(
      _ number: Int, after error: ReplicaError
    ) throws(ReplicaError) {
      try check(error)
      // Another transaction may have inserted the row since it was read.
      let before = items[number].server
      do throws(ReplicaError) {
        let result = try session.run(select([number], waits: true))
        try take(result, [number])
        if decided.contains(items[number].step.row) { return }
        if items[number].server == before && error.meaning == .row {
          return refuse(number, RefusalReason(error))
        }
        try write([number])
      } catch let second {
        guard second.isAboutRows else { throw second }
        try session.run("ROLLBACK TO strata")
        refuse(number, RefusalReason(second))
      }
    }

    private func write(
      _ numbers: [Int], then last: [ServerStatement] = []
    ) throws(ReplicaError) {
      let groups = groups(of: numbers)
      var statements: [ServerStatement] = []
      for group in groups {
        do throws(RefusalReason) {
          statements.append(try group.mapping.statement(group.writes))
        } catch {
          throw ReplicaError(.refused, error.message, advice: "", sqlState: error.sqlState)
        }
      }
      if !statements.isEmpty { statements.append(.init("SET CONSTRAINTS ALL IMMEDIATE")) }
      if last.isEmpty {
        statements.append(.init("SET CONSTRAINTS ALL DEFERRED"))
        statements += Self.keep.split(separator: "; ").map { .init(String($0)) }
      }
      _ = try session.pipeline(statements + last)
    }

    /// Returns the writes in their order, those of one statement together.
    private func groups(of numbers: [Int]) -> [(mapping: TableMapping, writes: [RowWrite])] {
      var groups: [(mapping: TableMapping, writes: [RowWrite])] = []
      var rows: Set<PushOrder.Row> = []
      let haveNeeds = numbers.contains { !items[$0].step.needs.isEmpty }
      for number in numbers {
        let item = items[number]
        guard let write = item.write else { continue }
        // A statement does not give up a unique value before it takes it.
        let last = groups.count - 1
        if last >= 0, groups[last].mapping.number == item.mapping.number,
          groups[last].writes[0].isLike(write), item.step.needs.allSatisfy({ !rows.contains($0) })
        {
          groups[last].writes.append(write)
        } else {
          groups.append((item.mapping, [write]))
          rows = []
        }
        if haveNeeds { rows.insert(item.step.row) }
      }
      return groups
    }

    private mutating func refuse(_ number: Int, _ reason: RefusalReason) {
      let item = items[number]
      plan.note(.refused(reason.message), of: item.step)
      decided.insert(item.step.row)
      verdicts.append(ServerVerdict(item.edit.table, item.key, refusal: reason.text))
    }

    /// Leaves an edit out, which waits for another push.
    private mutating func leave(_ number: Int) {
      let item = items[number]
      plan.note(.later(after: nil), of: item.step)
      decided.insert(item.step.row)
      lockedCount += 1
      verdicts.append(ServerVerdict(item.edit.table, item.key, refusal: nil))
    }
  }

  extension ReplicaError {
    /// Whether the error may be about one of the rows that a statement writes.
    fileprivate var isAboutRows: Bool { meaning == .row || meaning == .suspectedRow }
  }
#endif
