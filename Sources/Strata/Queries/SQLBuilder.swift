internal import Foundation
internal import StrataSQLite

/// SQL under construction: text with numbered parameters, and the values for them.
struct SQLBuilder: Sendable, Hashable {
  private(set) var text = ""
  private(set) var parameters: [Cell] = []

  mutating func append(_ text: String) { self.text += text }

  /// Appends other SQL with its parameters, before any parameter of its own.
  mutating func append(_ other: SQLBuilder) {
    guard parameters.isEmpty else {
      fatalError("the parameters of appended SQL keep their numbers")
    }
    text += other.text
    parameters = other.parameters
  }

  /// Appends a parameter for the value.
  mutating func append(parameter value: Cell) { append(parameter(value)) }

  /// Returns a new parameter for the value, to be appended once or more.
  mutating func parameter(_ value: Cell) -> String {
    parameters.append(value)
    return "?\(parameters.count)"
  }

  /// Returns the text that `body` appends, without appending it.
  mutating func rendered(_ body: (inout SQLBuilder) -> Void) -> String {
    let before = text
    text = ""
    body(&self)
    defer { text = before }
    return text
  }

  /// The length of the longest list whose values are parameters of their own.
  ///
  /// SQLite plans short lists by their length. It reads a long list from a single parameter, so
  /// that a single statement serves any number of values.
  private static let parameterLimit = 256

  /// Appends the condition that a column has one of some values, or that it has none of them.
  ///
  /// No value may be null.
  mutating func append(_ column: String, among values: some Collection<Cell>, negated: Bool = false)
  {
    append("\(column) \(negated ? "NOT IN" : "IN") (")
    let values = values.sorted()
    if values.count > Self.parameterLimit {
      append("SELECT value FROM strata_list(")
      append(parameter: .blob(Self.packed(values)))
      return append("))")
    }
    // The list is padded to a power of two, so that lists of many lengths share few statements.
    var length = values.isEmpty ? 0 : 1
    while length < values.count { length *= 2 }
    for position in 0..<length {
      if position > 0 { append(", ") }
      append(parameter: values[min(position, values.count - 1)])
    }
    append(")")
  }

  private static func packed(_ values: [Cell]) -> Data {
    var list = ValueList()
    for value in values {
      switch value {
      case .null: fatalError("a list of values for SQL has a null")
      case .integer(let value): list.append(value)
      case .real(let value): list.append(value)
      case .text(let value): list.append(text: value)
      case .blob(let value): list.append(blob: value)
      }
    }
    return Data(list.bytes)
  }
}
