/// An expression in FTS5's language, read as far as its flaws can be found without SQLite.
struct SearchExpression {
  private enum Token: Equatable {
    case string(String)
    case word(String)
    case symbol(Character)
  }

  private let text: String

  init(_ text: String) { self.text = text }

  /// The reason why the expression is malformed or would mean something else to SQLite.
  var flaw: String? {
    if text.utf8.contains(0) {
      // SQLite would read the expression only up to the NUL. The expression that remains could mean
      // anything.
      return "the search expression has a NUL"
    }
    if text.hasPrefix("*") {
      // FTS5 would take the expression for a question about the index itself.
      return "the search expression begins with an asterisk"
    }
    // The expression stands in parentheses after the names of the searched attributes. It must not
    // close those parentheses.
    return hasBalancedParentheses
      ? nil : "the search expression has a parenthesis without its other half"
  }

  /// The reason why an index of parts would ignore a part of the expression.
  var flawOfParts: String? {
    let tokens = tokens
    var isInBraces = false
    for (position, token) in tokens.enumerated() {
      let before = position > 0 ? tokens[position - 1] : nil
      let after = position + 1 < tokens.count ? tokens[position + 1] : nil
      switch token {
      case .symbol("{"): isInBraces = true
      case .symbol("}"): isInBraces = false
      case .symbol: break
      case .word("AND"), .word("OR"), .word("NOT"): break
      case .word("NEAR") where after == .symbol("("): break
      case .string(let part), .word(let part):
        // Names of columns, and the distance after a comma.
        if isInBraces || after == .symbol(":") || before == .symbol(",") { break }
        if part.isShortPart && (after != .symbol("*") || before == .symbol("+")) {
          return "the search expression has \"\(part)\", and an index of three characters finds a "
            + "shorter part only with an asterisk: \"\(part)\" *"
        }
      }
    }
    return nil
  }

  /// Whether every parenthesis outside of quotes has its other half.
  private var hasBalancedParentheses: Bool {
    var depth = 0
    for case .symbol(let symbol) in tokens {
      if symbol == "(" { depth += 1 }
      if symbol == ")" { depth -= 1 }
      if depth < 0 { return false }
    }
    return depth == 0
  }

  /// The tokens as FTS5 reads them. In a string, a quote is doubled.
  private var tokens: [Token] {
    var tokens: [Token] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\"" {
        tokens.append(.string(Self.string(from: &rest)))
      } else if Self.isInWords(scalar) {
        let word = rest.prefix(while: Self.isInWords)
        rest = rest[word.endIndex...]
        tokens.append(.word(String(word)))
      } else {
        rest.removeFirst()
        if !" \t\n\r".unicodeScalars.contains(scalar) { tokens.append(.symbol(Character(scalar))) }
      }
    }
    return tokens
  }

  /// Takes a string in quotes; without an end, the rest.
  private static func string(from rest: inout Substring.UnicodeScalarView) -> String {
    var string = String.UnicodeScalarView()
    rest.removeFirst()
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        guard rest.first == "\"" else { break }
        rest.removeFirst()
      }
      string.append(scalar)
    }
    return String(string)
  }

  private static func isInWords(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z", "_", "\u{1A}": true
    default: scalar.value >= 0x80
    }
  }
}
