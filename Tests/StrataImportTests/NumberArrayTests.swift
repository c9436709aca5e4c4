import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// Tests that an array of numbers becomes the same text as if it were decoded and encoded.
@Suite(.inTurn) struct NumberArrayTests {
  private func general<Value: AttributeValue>(_: Value.Type, _ json: String) -> Cell? {
    try? Value(cell: .text(json)).cell
  }

  private func check<Value: AttributeValue>(_ type: Value.Type, _ json: String) throws {
    let depth = try #require(NumberArrays.depth(of: type))
    if let text = NumberArrays.text(json, depth: depth) {
      #expect(general(type, json) == .text(text), "\(json)")
    } else {
      // `NumberArrays` has no text only for an array that is refused or has a negative zero.
      #expect(general(type, json) == nil || json.contains("-0"), "\(json)")
    }
  }

  @Test(arguments: [
    "[]", "[ ]", "[1]", "[ 1 , 2.5 ,3 ]", "[1.0, 1.50, 1e3, 1E-7, 0.0001, 0.00009, 100000]",
    "[0, 0.0, -0, -0.0, 0e5]", "[9007199254740993, 123456789012345678, 1e22, 1e23, 1e15, 1e16]",
    "[0.1, 0.30000000000000004, 5e-324, 1.7976931348623157e308, 1e999]", "[null]", "[\"1\"]",
    "[[1]]", "[1", "1]", "[1 2]", "5", "{}", "[1]]", "[999999999999999, 0.000100000000001]",
  ])
  func `numbers of every notation`(json: String) throws { try check([Double].self, json) }

  @Test func `generated arrays of every depth`() throws {
    var random = SeededRandom.printingSeed()
    func number() -> String {
      switch random.below(5) {
      case 0: "\(Int(truncatingIfNeeded: random.next()) % 1_000_000)"
      case 1: "\(Double(bitPattern: random.next()))"
      case 2: "\(Double.random(in: -180...180, using: &random))"
      case 3: String(format: "%.6f", Double.random(in: -180...180, using: &random))
      default: String(format: "%.15g", Double.random(in: -1e9...1e9, using: &random))
      }
    }
    func array(_ depth: Int) -> String {
      let elements = (0..<random.below(5)).map { _ in depth > 1 ? array(depth - 1) : number() }
      return "[" + elements.joined(separator: random.oneIn(2) ? "," : " ,\n") + "]"
    }
    for _ in 0..<2_000 {
      try check([Double].self, array(1))
      try check([[Double]].self, array(2))
      try check([[[Double]]].self, array(3))
      try check([[[[Double]]]]?.self, array(4))
      // Arrays that may be too shallow or too deep.
      try check([[Double]].self, array(1 + random.below(3)))
    }
  }
}
