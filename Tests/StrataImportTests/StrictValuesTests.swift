import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

private enum Size: String, AttributeValue { case small = "5" }

private struct Flags: OptionSet, AttributeValue {
  let rawValue: UInt64
}

private struct Amount: Entity, Equatable {
  var id = 0
  var count: UInt64 = 0
  var most: UInt?
  var flags: Flags?
  var price: Decimal?
  var page: URL?
  var size: Size?

  static let schema = Schema<Amount>("amounts", key: \.id) {
    Attribute(\.count)
    Attribute(\.most)
    Attribute(\.flags)
    Attribute(\.price)
    Attribute(\.page)
    Attribute(\.size)
  }
}

/// Tests that a value that does not fit its type is refused with its path, and never converted.
@Suite(.inTurn, .stack(Amount.self)) struct StrictValuesTests {
  let stack = Stack.test

  private func importing(_ members: String) async throws -> Amount? {
    try await stack.importJSON(
      Amount.self, from: .data(Data(#"[{"id": 1, \#(members)}]"#.utf8)))
    return try await stack.fetch(Amount.all).first
  }

  @Test(arguments: [
    (#""count": -1"#, "count"), (#""count": 1.5"#, "count"), (#""count": "1""#, "count"),
    (#""count": 18446744073709551616"#, "count"), (#""most": -1"#, "most"),
    (#""flags": -1"#, "flags"), (#""price": "1,234.50""#, "price"), (#""price": "12abc""#, "price"),
    (#""price": """#, "price"), (#""price": " 1""#, "price"), (#""price": true"#, "price"),
    (#""price": [1]"#, "price"), (#""price": "NaN""#, "price"), (#""price": 1e400"#, "price"),
    (#""price": "0x10""#, "price"), (#""price": "1.""#, "price"),
    (#""price": 1234567890123456789012345678901234567890123"#, "price"),
    (#""page": 5"#, "page"), (#""page": true"#, "page"), (#""page": {}"#, "page"),
    (#""size": 5"#, "size"),
  ])
  func `a value that does not fit its attribute is refused`(members: String, path: String)
    async throws
  {
    let error = await #expect(throws: ImportError.self) { try await importing(members) }
    #expect(error?.code == .invalidValue && error?.path == path, "\(members)")
    #expect(try await stack.fetch(Amount.all).isEmpty)
  }

  @Test func `a value that fits its attribute is taken exactly`() async throws {
    let all = try await importing(
      #""count": 18446744073709551615, "most": 1e3, "flags": 9223372036854775808, "size": "5""#)
    #expect(all?.count == .max && all?.most == 1_000 && all?.flags?.rawValue == 1 << 63)
    #expect(all?.size == .small)
    for (text, value) in [
      ("12.50", "12.5"), ("-0.001", "-0.001"), ("1e3", "1000"), ("1.5E-2", "0.015"),
      ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
      ("0.10000000000000000000000000000000000000000000", "0.1"), ("0", "0"), ("-0", "0"),
    ] {
      let expected = Decimal(string: value)
      #expect(try await importing(#""price": \#(text)"#)?.price == expected, "\(text)")
      #expect(try await importing(#""price": "\#(text)""#)?.price == expected, "\(text)")
    }
    let page = try await importing(#""page": "https://strata.test/a?b=c""#)?.page
    #expect(page?.absoluteString == "https://strata.test/a?b=c")
  }
}
