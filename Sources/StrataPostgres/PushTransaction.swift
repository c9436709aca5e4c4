#if Postgres
  internal import Strata
  internal import StrataReplica

  /// The edits of a push, inside its transaction on the server.
  ///
  /// A row that the server refuses is found by halving: each attempt checks all constraints at its
  /// end. *n* refused rows of *m* cost O(*n* log *m*) attempts. The only savepoint stands after
  /// everything that the server has taken, so an attempt that fails takes nothing else back.
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
    private var refused: Set<PushOrder.Row> = []

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
      tables = Dictionary(grouping: items.indices) { items[$0].mapping.number }
        .sorted { $0.key < $1.key }.map(\.value)
    }

    /// The conflicts of the edits that the server makes with its rows.
    var conflicts: [Conflict] {
      let others = Dictionary(grouping: verdicts, by: \.key)
      return items.compactMap { item in
        let isMade = others[item.key]?.contains { $0.table === item.edit.table } != true
        return isMade ? item.edit.conflict(with: item.server) : nil
      }
    }

    // MARK: - Reading

    /// The statements that read and lock the server's rows, table by table.
    var reads: [ServerStatement] {
      tables.map { select($0) } + [.init("SAVEPOINT strata")]
    }

    /// Takes the results of ``reads``.
    mutating func take(_ results: ArraySlice<PostgresResult>) throws(ReplicaError) {
      for (numbers, result) in zip(tables, results) { try take(result, numbers) }
    }

    /// Reads the tables one by one, and refuses the edits of those that the role may not write.
    mutating func readEach() throws(ReplicaError) {
      try session.run("SAVEPOINT strata")
      for numbers in tables {
        do throws(ReplicaError) {
          try take(try session.run(select(numbers)), numbers)
          try session.run(Self.keep)
        } catch {
          guard error.isVerdict else { throw error }
          try session.run("ROLLBACK TO strata")
          try check(error)
          for number in numbers { refuse(number, RefusalReason(error)) }
        }
      }
    }

    /// Edits of a table that has changed wait. They are not refused.
    ///
    /// - Throws: ``ReplicaError`` with code `unsuitableServer` if an error came because the tables have
    ///   changed.
    private func check(_ error: ReplicaError) throws(ReplicaError) {
      if error.isAboutNames { try server.check(session) }
    }

    private static let keep = "RELEASE strata; SAVEPOINT strata"

    private func select(_ numbers: [Int]) -> ServerStatement {
      let mapping = items[numbers[0]].mapping
      let keys = numbers.map { mapping.text(items[$0].key) }
      return .init(mapping.selectForUpdate, [keys.arrayText], isBinary: true)
    }

    private mutating func take(_ result: PostgresResult, _ numbers: [Int]) throws(ReplicaError) {
      let rows = Dictionary(try items[numbers[0]].mapping.rows(result, builder)) { $1 }
      for number in numbers { items[number].server = rows[items[number].key] }
    }

    // MARK: - Writing

    /// Makes all edits and commits them, if the server takes all of them; false if it does not.
    func commitAll() throws(ReplicaError) -> Bool {
      if !verdicts.isEmpty { return false }
      do throws(ReplicaError) {
        try write(Array(items.indices), then: [.init("COMMIT")])
        return true
      } catch {
        guard error.isVerdict else { throw error }
        try session.run("ROLLBACK TO strata")
        return false
      }
    }

    /// Makes all edits that the server takes.
    mutating func run() throws(ReplicaError) {
      try attempt(items.startIndex..<items.endIndex)
      for item in items where !refused.contains(item.step.row) && !plan.admits(item.step) {
        verdicts.append(ServerVerdict(item.edit.table, item.key, refusal: nil))
      }
    }

    private mutating func attempt(_ range: Range<Int>) throws(ReplicaError) {
      let numbers = range.filter { plan.admits(items[$0].step) }
      guard let first = numbers.first else { return }
      do throws(ReplicaError) { return try write(numbers) } catch {
        guard error.isVerdict else { throw error }
        try session.run("ROLLBACK TO strata")
        if numbers.count > 1 {
          let middle = numbers[numbers.count / 2]
          try attempt(range.lowerBound..<middle)
          return try attempt(middle..<range.upperBound)
        }
        try check(error)
        // Another transaction may have inserted the row since it was read.
        let before = items[first].server
        try take(try session.run(select([first])), [first])
        if items[first].server != before { return try attempt(range) }
        refuse(first, RefusalReason(error))
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
      refused.insert(item.step.row)
      verdicts.append(ServerVerdict(item.edit.table, item.key, refusal: reason.text))
    }
  }
#endif
