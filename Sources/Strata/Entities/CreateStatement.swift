/// A `CREATE TABLE` or `CREATE INDEX` statement as the file keeps it, taken apart.
///
/// SQLite keeps the text and edits it when a column is added, dropped or renamed, so texts of equal
/// tables may differ in spaces, quotes and the order of columns. Here they compare equal.
struct CreateStatement: Equatable {
  /// What kind of table or index it is: `unique`, `virtual`.
  private(set) var head: [String] = []
  /// What each column's definition says after its name; for indexes, the columns themselves.
  private(set) var parts: [Part] = []
  /// What stands behind the parentheses: `WITHOUT ROWID`, or an index's condition.
  private(set) var tail: [String] = []

  struct Part: Equatable {
    let name: String
    let definition: [String]
  }

  init(_ sql: String) {
    var depth = 0
    var current: [Token] = []
    var opening: [Token] = []
    var isBehind = false
    for token in Token.all(in: sql) {
      if token.isPunctuation("(") {
        depth += 1
        if depth == 1 && !isBehind { continue }
      } else if token.isPunctuation(")") {
        depth -= 1
        if depth == 0 && !isBehind {
          append(current)
          current = []
          isBehind = true
          continue
        }
      } else if token.isPunctuation(","), depth == 1, !isBehind {
        append(current)
        current = []
        continue
      }
      if isBehind {
        tail.append(token.normal)
      } else if depth == 0 {
        opening.append(token)
      } else {
        current.append(token)
      }
    }
    // Names are compared elsewhere, and "CREATE TABLE" goes without saying.
    let kinds: Set<String> = ["unique", "virtual", "temp", "temporary", "view"]
    head = opening.filter { !$0.isQuoted }.map(\.normal).filter(kinds.contains)
  }

  private mutating func append(_ tokens: [Token]) {
    guard let first = tokens.first else { return }
    parts.append(Part(name: first.text, definition: tokens.dropFirst().map(\.normal)))
  }

  /// The definition of a column.
  func definition(of name: String) -> [String]? {
    parts.first { $0.name.isSameName(as: name) }?.definition
  }
}

extension CreateStatement {
  struct Token {
    let text: String
    let isQuoted: Bool

    /// Keywords and bare names in lower case; quoted names as they are.
    var normal: String {
      isQuoted ? text.quotedIdentifier : String(decoding: text.folded, as: UTF8.self)
    }

    func isPunctuation(_ character: String) -> Bool { !isQuoted && text == character }

    static func all(in sql: String) -> [Token] {
      var tokens: [Token] = []
      let scalars = Array(sql.unicodeScalars)
      var index = 0
      while index < scalars.count {
        let scalar = scalars[index]
        if scalar.properties.isWhitespace {
          index += 1
        } else if let closing = closing(scalar) {
          var text = "".unicodeScalars
          index += 1
          while index < scalars.count {
            if scalars[index] == closing {
              // A doubled quote is one in the name; "]" has no such form.
              guard closing != "]", index + 1 < scalars.count, scalars[index + 1] == closing else {
                break
              }
              index += 1
            }
            text.append(scalars[index])
            index += 1
          }
          index += 1
          tokens.append(Token(text: String(text), isQuoted: true))
        } else if isWord(scalar) {
          let start = index
          while index < scalars.count, isWord(scalars[index]) { index += 1 }
          var text = "".unicodeScalars
          text.append(contentsOf: scalars[start..<index])
          tokens.append(Token(text: String(text), isQuoted: false))
        } else {
          tokens.append(Token(text: String(scalar), isQuoted: false))
          index += 1
        }
      }
      return tokens
    }

    private static func closing(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
      switch scalar {
      case "\"", "'", "`": scalar
      case "[": "]"
      default: nil
      }
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
      scalar.value >= 128 || scalar == "_" || scalar == "$"
        || (scalar.value < 128
          && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
    }
  }
}
