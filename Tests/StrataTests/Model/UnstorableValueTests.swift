internal import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private struct Measure: Entity {
  var id: Int64 = 0
  var double = 0.0
  var maybeDouble: Double?
  var float: Float = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var maybeDate: Date?
  var decimal = Decimal(0)
  var list: [Double] = []

  static let schema = Schema<Measure>("measures", key: \.id) {
    Attribute(\.double)
    Attribute(\.maybeDouble)
    Attribute(\.float)
    Attribute(\.date)
    Attribute(\.maybeDate)
    Attribute(\.decimal, "amount")
    Attribute(\.list)
  }
}

/// Foundation traps when it describes a `Date` that is not a number.
extension Measure: CustomTestStringConvertible {
  var testDescription: String { "a measure" }
}

/// An entity with directly stored attributes only, which takes the codec's other way.
private struct Gauge: Entity {
  var id = 0.0
  var value: Double?
  static let schema = Schema<Gauge>("gauges", key: \.id) { Attribute(\.value) }
}

/// A type that declares text and makes integers.
///
/// SQLite would convert the integers on the way in.
private struct Confused: AttributeValue {
  init() {}
  init(cell: Cell) throws(ValueError) {}
  var cell: Cell { .integer(7) }
  static let storage = StorageType.text
}

private struct Holder: Entity {
  var id: Int64 = 0
  var value = Confused()
  static let schema = Schema<Holder>("holders", key: \.id) { Attribute(\.value, "value") }
}

@Suite(.inTurn) struct UnstorableValueTests {
  private func error<E: Entity>(saving entity: E) async throws -> StoreError? {
    let stack = try await Stack.temporary(E.self)
    let scratch = stack.makeScratch()
    scratch.insert(entity)
    var thrown: StoreError?
    do { try await scratch.save() } catch { thrown = error as? StoreError }
    #expect(try await stack.fetch(E.all).isEmpty)
    await stack.close()
    return thrown
  }

  @Test(arguments: [
    ("double", Measure(id: 1, double: .nan)), ("maybeDouble", Measure(id: 1, maybeDouble: .nan)),
    ("float", Measure(id: 1, float: .nan)), ("double", Measure(id: 1, double: .signalingNaN)),
    ("date", Measure(id: 1, date: Date(timeIntervalSinceReferenceDate: .nan))),
    ("maybeDate", Measure(id: 1, maybeDate: Date(timeIntervalSinceReferenceDate: .nan))),
    ("amount", Measure(id: 1, decimal: .nan)), ("list", Measure(id: 1, list: [1, .nan])),
  ])
  private func `not-a-number is refused, naming entity and attribute`(
    attribute: String, measure: Measure
  ) async throws {
    let error = try #require(try await error(saving: measure))
    #expect(error.code == .invalidValue)
    #expect(error.entity == "Measure" && error.attributes == [attribute])
    #expect(error.keys == [RecordKey(.integer(1))])
    #expect(error.message.contains("Measure.\(attribute)"))
  }

  @Test func `not-a-number is refused where attributes are read by offset`() async throws {
    let error = try #require(try await error(saving: Gauge(id: 1, value: .nan)))
    #expect(error.code == .invalidValue && error.attributes == ["value"])
    let key = try #require(try await self.error(saving: Gauge(id: .nan)))
    #expect(key.code == .invalidValue && key.attributes == ["id"] && key.entity == "Gauge")
  }

  @Test func `a value whose cell is not of its storage type is refused`() async throws {
    let error = try #require(try await error(saving: Holder(id: 1)))
    #expect(error.code == .invalidValue && error.attributes == ["value"])
  }

  @Test func `a real that another program wrote is rounded to a Float`() throws {
    #expect(try Float(cell: .real(0.1)) == 0.1)
    #expect(try Float(cell: .real(.infinity)) == .infinity)
  }

  @Test func `an edit that can be stored settles the one that could not`() async throws {
    let stack = try await Stack.temporary(Gauge.self)
    let scratch = stack.makeScratch()
    scratch.insert(Gauge(id: 1, value: .nan))
    scratch.upsert(Gauge(id: 1, value: 2))
    try await scratch.save()
    #expect(try await stack.fetch(Gauge.all).map(\.value) == [2])
    await stack.close()
  }

  @Test(arguments: [
    ("\(Int8.self)", Cell.integer(200)), ("\(UInt16.self)", .integer(-1)),
    ("\(Bool.self)", .integer(2)),
    ("\(UUID.self)", .blob(Data([1]))), ("\(Float.self)", .real(1e300)),
    ("\(URL.self)", .integer(1)),
    ("\(Decimal.self)", .text("many")), ("\(String.self)", .null), ("\(Date.self)", .text("today")),
    ("\(Data.self)", .text("x")), ("\([Int].self)", .text("[1,")),
  ])
  func `a cell that no value of the type makes is refused`(type: String, cell: Cell) {
    let types: [any AttributeValue.Type] = [
      Int8.self, UInt16.self, Bool.self, UUID.self, Float.self, URL.self, Decimal.self,
      String.self, Date.self, Data.self, [Int].self,
    ]
    for candidate in types where "\(candidate)" == type {
      #expect(throws: ValueError.self) { _ = try candidate.init(cell: cell) }
    }
    #expect(types.contains { "\($0)" == type })
  }
}
