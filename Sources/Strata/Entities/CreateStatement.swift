/// A parsed `CREATE TABLE` or `CREATE INDEX` statement of the file.
///
/// SQLite keeps the text of a statement and edits it when a column is added, dropped or renamed.
/// The texts of equal tables may therefore differ in spaces, quotes and the order of columns.
/// Equality ignores spaces, the quotes of column names and the case of keywords.
/// ``definition(of:)`` finds a column in any order.
struct CreateStatement: Equatable {
  /// The kind of table or index, such as `unique` or `virtual`.
  private(set) var head: [String] = []
  /// The definition of each column after its name, or the columns of an index.
  private(set) var parts: [Part] = []
  /// The words after the parentheses, such as `WITHOUT ROWID` or an index's condition.
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
    // The head leaves out the names, which are compared elsewhere, and the words "CREATE TABLE".
    let kinds: Set<String> = ["unique", "virtual", "temp", "temporary", "view"]
    head = opening.filter { !$0.isQuoted }.map(\.normal).filter(kinds.contains)
  }

  private mutating func append(_ tokens: [Token]) {
    guard let first = tokens.first else { return }
    parts.append(Part(name: first.text, definition: tokens.dropFirst().map(\.normal)))
  }

  /// Returns the definition of a column, or nil if there is no such column.
  func definition(of name: String) -> [String]? {
    parts.first { $0.name.isSameName(as: name) }?.definition
  }
}

extension CreateStatement {
  struct Token {
    let text: String
    let isQuoted: Bool

    /// The normal form of the token: keywords and bare names in lower case, quoted names unchanged.
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
              // A doubled quote stands for a single quote in the name. "]" cannot be doubled.
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
