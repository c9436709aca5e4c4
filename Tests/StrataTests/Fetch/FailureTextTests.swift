import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private struct Play: Entity, Equatable {
  enum Genre: String, ComparableValue { case jazz, pop }

  var id = 0
  var genre = Genre.jazz
  var i = 0
  var small: Int8 = 0
  var rate: Float = 0
  static let schema = Schema<Play>("plays", key: \.id) {
    Attribute(\.genre)
    Attribute(\.i)
    Attribute(\.small)
    Attribute(\.rate)
  }
}

/// The words of errors.
///
/// A sum out of range was reported as "V.i of 2", although there is no key 2: the number was the count in
/// the statement's first column. The advice was to store another value, although all values fit. A
/// conflict was said to be another context's change also if nobody else had written.
@Suite(.inTurn) @MainActor struct FailureTextTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private func make(_ statements: String...) async throws {
    try await file.make([
      Play(id: 7, i: .max), Play(id: 8, i: 1), Play(id: 9, genre: .pop, i: 3),
    ])
    let connection = try Connection(path: file.path, .readWrite)
    for statement in statements { try connection.execute(statement) }
  }

  @Test func `a sum out of range names the attribute and the group, and no key`() async throws {
    try await make()
    try await file.open(Play.self) { stack in
      let view = stack.viewContext
      try await checkSums(stack)
      try await checkSums(view)
      view.insert(Play(id: 10, i: 5))
      try await checkSums(view)
      let live = view.live(.sum(\.i), of: Play.all)
      checkSum(await failure { try await live.waitUntilLoaded() }, "")
      let groups = view.live(.sum(\.i), of: Play.all.grouped(by: \.genre))
      checkSum(await failure { try await groups.waitUntilLoaded() }, " in the group \"jazz\"")
    }
  }

  private func checkSums(_ source: some FetchSource) async throws {
    checkSum(await failure { try await source.fetch(.sum(\.i), of: Play.all) }, "")
    checkSum(await failure { try await source.fetch(.count, .sum(\.i), of: Play.all) }, "")
    let groups = Play.all.grouped(by: \.genre)
    checkSum(
      await failure { try await source.fetch(.sum(\.i), of: groups) }, " in the group \"jazz\"")
    let pairs = Play.all.grouped(by: \.small, \.genre)
    checkSum(
      await failure { try await source.fetch(.count, .sum(\.i), of: pairs) },
      " in the group 0, \"jazz\"")
    #expect(try await source.fetch(.average(\.i), of: groups).count == 2)
  }

  private func checkSum(_ error: StoreError?, _ group: String) {
    #expect(
      error?.code == .invalidValue && error?.attributes == ["i"] && error?.keys.isEmpty == true)
    #expect(
      error?.message.hasPrefix("the sum of Play.i\(group): the sum is 92233720368547758") == true)
    #expect(error?.advice.hasPrefix("sum fewer entities") == true)
  }

  @Test func `a stored value that cannot be read is called stored, with its key if it is known`()
    async throws
  {
    try await make("UPDATE plays SET genre = 'zouk' WHERE id = 8")
    try await file.open(Play.self) { stack in
      try await checkZouk(stack)
      try await checkZouk(stack.viewContext)
      stack.viewContext.insert(Play(id: 10))
      try await checkZouk(stack.viewContext)
      let live = stack.viewContext.live(.count, of: Play.all.grouped(by: \.genre))
      check(await failure { try await live.waitUntilLoaded() }, keys: [])
      try await stack.update(Play.where { $0.id == 8 }, .set(\.genre, to: .pop))
      #expect(try await live.waitUntilLoaded() == [.jazz: 2, .pop: 2])
    }
  }

  private func checkZouk(_ source: some FetchSource) async throws {
    check(await failure { try await source.fetch(Play.all) }, keys: [RecordKey(.integer(8))])
    check(await failure { try await source.fetch(Play.all, \.genre) }, keys: [])
    check(await failure { try await source.fetch(Play.all, \.i, \.genre) }, keys: [])
    check(await failure { try await source.distinct(\.genre, of: Play.all) }, keys: [])
    check(await failure { try await source.fetch(.max(\.genre), of: Play.all) }, keys: [])
    let groups = Play.all.grouped(by: \.genre)
    check(await failure { try await source.fetch(.count, of: groups) }, keys: [])
    #expect(try await source.fetch(.distinctCount(\.genre), of: Play.all) == 3)
  }

  private func check(_ error: StoreError?, keys: [RecordKey]) {
    let row = keys.first.map { " of \($0)" } ?? ""
    #expect(error?.code == .invalidValue && error?.attributes == ["genre"] && error?.keys == keys)
    #expect(
      error?.message.hasPrefix("the stored Play.genre\(row): \"zouk\" is not a case") == true)
    #expect(error?.advice.contains("stack.update(query, .set(…))") == true)
  }

  @Test func `a computed value is refused by name if its attribute cannot hold it`() async throws {
    try await make()
    try await file.open(Play.self) { stack in
      let one = Play.where { $0.id == 8 }
      try await stack.update(one, .set(\.small, to: 100))
      let error = await failure { try await stack.update(one, .set(\.small) { $0.small + 100 }) }
      #expect(error?.code == .invalidValue && error?.keys == [RecordKey(.integer(8))])
      #expect(error?.message == "the computed Play.small of 8: 200 is out of range for Int8")
      // A Float is stored as a Float would write it, or the row could not be edited.
      try await stack.update(one, .set(\.rate, to: 0.5))
      try await stack.update(one, .set(\.rate) { $0.rate / 3 })
      let play = try #require(try await stack.find(Play.self, 8))
      #expect(play.rate == Float(0.5 / 3))
      try await stack.withScratch { $0.update(play) { $0.rate = 1 } }
    }
  }

  @Test func `a conflict says which values it found`() async throws {
    try await make()
    try await file.open(Play.self) { stack in
      let (seven, eight) = (Play(id: 7, i: .max), Play(id: 8, i: 1))
      func conflict(_ edit: (ScratchContext) -> Void) async -> String? {
        let scratch = stack.makeScratch()
        edit(scratch)
        return await failure { try await scratch.save() }?.message
      }
      try await stack.withScratch { $0.update(eight) { $0.i = 5 } }
      #expect(
        await conflict { $0.update(eight) { $0.i = 2 } }
          == "Play 8: i is 2 here and 5 in the store; before the edit it was 1")
      #expect(
        await conflict { $0.delete(eight) }
          == "Play 8: deleted here, but i is 5 in the store; before the deletion it was 1")
      #expect(
        await conflict { $0.insert(Play(id: 7, i: 4)) }
          == "Play 7: inserted here, and in the store already")
      try await stack.withScratch { $0.delete(seven) }
      #expect(
        await conflict { $0.update(seven) { $0.i = 2 } }
          == "Play 7: edited here, and no longer in the store")
    }
  }

  @Test func `a file that cannot be written says so`() {
    let error = StoreError(
      SQLiteError(
        code: 8, message: "attempt to write a readonly database", sql: nil, systemError: 0))
    #expect(error.code == .cannotOpen)
    #expect(error.message == "the file or its folder may not be written")
    #expect(error.advice.hasPrefix("make the file and its folder writable"))
  }
}
