import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Pennant.self)) struct WriterUniquenessTests {
  let stack = Stack.test

  private func pennants(_ codes: String?...) -> [Pennant] {
    codes.enumerated().map { Pennant(id: $0 + 1, code: $1, number: $0) }
  }

  @Test func `two rows swap a unique value in one save`() async throws {
    let flags = pennants("A", "B")
    try await stack.commit { flags.forEach($0.insert) }
    let rowIDs = try await stack.rows("SELECT rowid FROM pennants ORDER BY id")
    var changes = stack.changes.makeAsyncIterator()
    try await stack.commit {
      $0.update(flags[0]) { $0.code = "B" }
      $0.update(flags[1]) { $0.code = "A" }
    }
    #expect(try await stack.rows("SELECT id, code FROM pennants ORDER BY id") == ["1 B", "2 A"])
    #expect(try await stack.rows("SELECT rowid FROM pennants ORDER BY id") == rowIDs)
    let updated = await changes.next()?.changes(of: Pennant.self).updated ?? []
    #expect(updated.map(\.before) == flags)
    #expect(updated.map(\.after.code) == ["B", "A"])
  }

  @Test(arguments: [[1, 2, 0], [2, 0, 1]])
  func `three rows rotate a unique value in one save`(_ rotation: [Int]) async throws {
    let flags = pennants("A", "B", "C")
    try await stack.commit { flags.forEach($0.insert) }
    try await stack.commit { scratch in
      for (flag, source) in zip(flags, rotation) {
        scratch.update(flag) { $0.code = flags[source].code }
      }
    }
    let expected = zip(flags, rotation).map { "\($0.id) \(flags[$1].code ?? "")" }
    #expect(try await stack.rows("SELECT id, code FROM pennants ORDER BY id") == expected)
  }

  @Test func `rows swap a value that is unique together with another`() async throws {
    let flags = [
      Pennant(id: 1, code: nil, country: "NO", number: 1),
      Pennant(id: 2, code: nil, country: "NO", number: 2),
      Pennant(id: 3, code: nil, country: "SE", number: 1),
    ]
    try await stack.commit { flags.forEach($0.insert) }
    try await stack.commit {
      $0.update(flags[0]) { $0.number = 2 }
      $0.update(flags[1]) { $0.country = "SE" }
      $0.update(flags[1]) { $0.number = 1 }
      $0.update(flags[2]) { $0.country = "NO" }
    }
    #expect(
      try await stack.rows("SELECT country, number FROM pennants ORDER BY id") == [
        "NO 2", "SE 1", "NO 1",
      ])

    let error = await failure {
      try await stack.commit { $0.insert(Pennant(id: 4, country: "NO", number: 1)) }
    }
    #expect(error?.code == .uniquenessViolated && error?.attributes == ["country", "number"])
    #expect(error?.keys == [RecordKey(.integer(4)), RecordKey(.integer(3))])
  }

  @Test func `a deleted row gives its unique value to a new one in the same save`() async throws {
    let flags = pennants("A")
    try await stack.commit { flags.forEach($0.insert) }
    try await stack.commit {
      $0.insert(Pennant(id: 2, code: "A", number: 0))
      $0.delete(flags[0])
    }
    #expect(try await stack.rows("SELECT id, code FROM pennants") == ["2 A"])
  }

  @Test func `no value is unique for none`() async throws {
    try await stack.commit { [flags = pennants(nil, nil, nil)] in flags.forEach($0.insert) }
    #expect(try await stack.rows("SELECT count(*) FROM pennants") == ["3"])
  }

  @Test func `a violation names both rows, writes nothing, and can be put right`() async throws {
    let flags = pennants("A", "B", "C")
    try await stack.commit { flags.forEach($0.insert) }
    let scratch = stack.makeScratch()
    scratch.delete(flags[2])
    scratch.insert(Pennant(id: 9, code: "Z", number: 9))
    let wrong = scratch.update(flags[0]) { $0.code = "B" }
    let error = await failure { try await scratch.save() }
    #expect(error?.code == .uniquenessViolated)
    #expect(error?.entity == "Pennant" && error?.attributes == ["code"])
    #expect(error?.keys == [RecordKey(.integer(1)), RecordKey(.integer(2))])
    #expect(error?.message == "Pennant 1 and 2 have the same code \"B\"")
    #expect(
      try await stack.rows("SELECT id, code FROM pennants ORDER BY id") == ["1 A", "2 B", "3 C"])
    #expect(try await stack.rows("SELECT number FROM strata_commit") == ["1"])
    #expect(scratch.hasChanges)

    scratch.update(wrong) { $0.code = "D" }
    #expect(try await scratch.save() == 2)
    #expect(
      try await stack.rows("SELECT id, code FROM pennants ORDER BY id") == ["1 D", "2 B", "9 Z"])
  }

  @Test func `a chain that ends in a value nobody gives up is refused`() async throws {
    let flags = pennants("A", "B", "C")
    try await stack.commit { flags.forEach($0.insert) }
    let error = await failure {
      try await stack.commit {
        $0.update(flags[0]) { $0.code = "B" }
        $0.update(flags[1]) { $0.code = "C" }
      }
    }
    #expect(error?.code == .uniquenessViolated)
    #expect(error?.keys == [RecordKey(.integer(2)), RecordKey(.integer(3))])
    #expect(
      try await stack.rows("SELECT id, code FROM pennants ORDER BY id") == ["1 A", "2 B", "3 C"])
  }
}
