import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A type of the attribute, whose values are numbers or nil.
private protocol Sample: AttributeValue, Equatable {
  init(number: Int?)
  var number: Int? { get }
}

extension Int: Sample {
  fileprivate init(number: Int?) { self = number ?? 50 }
  fileprivate var number: Int? { self }
}
extension Double: Sample {
  fileprivate init(number: Int?) { self = number.map { Double($0) } ?? 60 }
  fileprivate var number: Int? { Int(self) }
}
extension String: Sample {
  fileprivate init(number: Int?) { self = number.map { "\($0)" } ?? "70" }
  fileprivate var number: Int? { Int(self) }
}
extension Bool: Sample {
  fileprivate init(number: Int?) { self = number.map { $0 % 2 == 1 } ?? true }
  fileprivate var number: Int? { self ? 3 : 4 }
}
extension Optional: Sample where Wrapped: Sample {
  fileprivate init(number: Int?) { self = number.map { Wrapped(number: $0) } }
  fileprivate var number: Int? { self?.number }
}

/// The versions of a program, given by the types of one attribute.
private struct Chain: Sendable {
  static let current = Lock(Chain())

  var types: [any Sample.Type] = []
  /// Whether the step from a version to the next one is declared and changes the values.
  var isDeclared: [Bool] = []
  var version = 0
  var random = SeededRandom(seed: 0)

  /// Returns a number as a later version has it.
  func number(_ number: Int?, from start: Int, to end: Int) -> Int? {
    var number = number
    for step in start..<end {
      let next = isDeclared[step] ? number.map { $0 + step + 1 } : number
      number = types[step + 1].init(number: next).number
    }
    return number
  }

  /// The versions whose types the current version converts.
  var converted: [Int] {
    (0..<version).filter { start in
      isDeclared[start..<version].contains(true) && (start == 0 || types[start] != types[start - 1])
    }
  }
}

private struct Row<Value: Sample>: Entity {
  var id = 0
  var v = Value(number: nil)

  static var schema: Schema<Row> {
    var chain = Chain.current.withLock { $0 }
    var attribute = Attribute(\Row.v, "v")
    for start in chain.converted.shuffled(using: &chain.random) {
      attribute = declare(chain.types[start], start, chain, attribute)
    }
    Chain.current.withLock { $0.random = chain.random }
    return Schema<Row>("rows", key: \.id) {
      Attribute(\Row.id, "id")
      attribute
    }
  }

  private static func declare<Old: Sample>(
    _: Old.Type, _ start: Int, _ chain: Chain, _ attribute: Attribute<Row, Value>
  ) -> Attribute<Row, Value> {
    attribute.converted(from: Old.self) { old in
      Value(number: chain.number(old.number, from: start, to: chain.version))
    }
  }
}

/// Stores that skipped versions, and stores that did not.
///
/// An attribute was `Int?`, then `Int`, then `String` with conversions from `Int` and from `Int?`. A store
/// of the first version was refused, because the conversion that was declared first was taken for both
/// types.
@Suite(.inTurn) struct VersionChainTests {
  private static let types: [any Sample.Type] = [
    Int.self, Int?.self, Double.self, Double?.self, String.self, String?.self, Bool.self,
    Bool?.self,
  ]

  @Test func `a store that skipped versions has the values of a store that did not`() async throws {
    var random = SeededRandom.printingSeed()
    var (followed, refused) = (0, 0)
    while followed < 15 || refused == 0 {
      var chain = Chain()
      chain.random = SeededRandom(seed: random.next())
      chain.types = (0...(1 + random.below(3))).map { _ in random.pick(Self.types) }
      chain.isDeclared = (1..<chain.types.count).map { step in
        let (old, new) = (chain.types[step - 1], chain.types[step])
        if old == new { return false }
        return !Self.isRelaxed(old, new) || random.oneIn(2)
      }
      let note = Comment("\(chain.types) \(chain.isDeclared), seed \(random.seed)")
      let numbers: [Int?] = [1, 2, nil, 8]
      let last = chain.types.count - 1
      if let version = Self.firstAmbiguous(chain) {
        refused += 1
        chain.version = version
        let file = try StoreFile()
        #expect(try await Self.error(file, chain) == .invalidSchema, note)
        continue
      }
      followed += 1
      let (skipped, stepwise) = (try StoreFile(), try StoreFile())
      for file in [skipped, stepwise] { try await Self.make(file, chain, numbers) }
      for version in 1..<last {
        chain.version = version
        #expect(try await Self.values(stepwise, chain).count == numbers.count, note)
      }
      chain.version = last
      let expected = numbers.map {
        chain.number(chain.types[0].init(number: $0).number, from: 0, to: last)
      }
      #expect(try await Self.values(stepwise, chain) == expected, note)
      #expect(try await Self.values(skipped, chain) == expected, note)
    }
  }

  /// Whether a type is only made optional, which needs no declaration.
  private static func isRelaxed(_ old: any Sample.Type, _ new: any Sample.Type) -> Bool {
    new == optional(old)
  }

  private static func optional<Value: Sample>(_: Value.Type) -> any Sample.Type { Value?.self }

  /// Returns the first version of the chain that would convert one type twice, or its own type.
  private static func firstAmbiguous(_ chain: Chain) -> Int? {
    chain.types.indices.first { version in
      var chain = chain
      chain.version = version
      let types = chain.converted.map { chain.types[$0] }
      return types.enumerated().contains { index, type in
        type == chain.types[version] || types[..<index].contains { $0 == type }
      }
    }
  }

  private static func make(_ file: StoreFile, _ chain: Chain, _ numbers: [Int?]) async throws {
    var chain = chain
    chain.version = 0
    Chain.current.withLock { [chain] in $0 = chain }
    try await insert(chain.types[0], numbers, file)
  }

  private static func insert<Value: Sample>(
    _: Value.Type, _ numbers: [Int?], _ file: StoreFile
  ) async throws {
    try await file.make(numbers.enumerated().map { Row<Value>(id: $0, v: Value(number: $1)) })
  }

  private static func values(_ file: StoreFile, _ chain: Chain) async throws -> [Int?] {
    Chain.current.withLock { $0 = chain }
    return try await read(chain.types[chain.version], file, version: chain.version + 1)
  }

  private static func read<Value: Sample>(
    _: Value.Type, _ file: StoreFile, version: Int
  ) async throws -> [Int?] {
    var numbers: [Int?] = []
    try await file.open(Row<Value>.self, version: version) { stack in
      numbers = try await stack.fetch(Row<Value>.sorted(by: \.id)).map(\.v.number)
    }
    return numbers
  }

  private static func error(_ file: StoreFile, _ chain: Chain) async throws -> StoreError.Code? {
    do {
      _ = try await values(file, chain)
      return nil
    } catch let error as StoreError {
      return error.code
    }
  }
}
