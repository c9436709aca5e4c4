import Foundation

extension Terminal {
  /// Returns text in bold, where the output can show it.
  package func bold(_ text: String) -> String { styled(text, "1") }

  /// Returns text that stands back behind other text, where the output can show it.
  package func faint(_ text: String) -> String { styled(text, "2") }

  /// Returns text in green, where the output can show it.
  package func green(_ text: String) -> String { hasColors ? styled(text, "32") : text }

  /// Returns a line of Swift with its keywords in another colour, where the output can show it.
  package func code(_ line: String) -> String {
    guard hasColors else { return line }
    // Every second part is within quotation marks.
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    return parts.enumerated().map { position, part in
      guard position.isMultiple(of: 2) else { return String(part) }
      let colored = part.replacing(/[A-Za-z_]+/) { word in
        let word = word.output
        return Self.keywords.contains(word) ? styled(String(word), "35") : String(word)
      }
      return String(colored)
    }.joined(separator: "\"")
  }

  private static let keywords: Set<Substring> = [
    "as", "await", "case", "catch", "do", "else", "false", "for", "func", "guard", "if", "in",
    "let", "nil", "return", "struct", "switch", "true", "try", "var", "where", "while",
  ]

  private func styled(_ text: String, _ code: String) -> String {
    hasStyles ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Returns text in the characters that the output can show.
  ///
  /// In ASCII, letters lose their accents, typographic characters have a spelling, and any other
  /// character is a question mark.
  package func spelled(_ text: String) -> String {
    if hasUnicode { return text }
    var result = ""
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if scalar.isASCII {
        result.unicodeScalars.append(scalar)
      } else if scalar.properties.canonicalCombiningClass == .notReordered {
        result += Self.spellings[scalar] ?? "?"
      }
    }
    return result
  }

  private static let spellings: [Unicode.Scalar: String] = [
    "…": "...", "→": "->", "–": "-", "—": "-", "−": "-", "·": "-", "×": "x", "÷": "/", "°": "",
    "µ": "u", "●": "o", "◆": "+", "◎": "*", "✕": "x", "“": "\"", "”": "\"", "’": "'",
  ]

  /// Returns text as lines that fit into the text's width, broken at spaces.
  ///
  /// - Parameters:
  ///   - indent: The number of spaces before the first line.
  ///   - hanging: The number of spaces before each other line.
  package func lines(_ text: String, indent: Int = 0, hanging: Int? = nil) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      if !isEmpty, line.count + 1 + word.count > textColumns {
        lines.append(line)
        line = String(repeating: " ", count: hanging ?? indent)
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }
}

extension Int {
  /// The number with a comma between groups of three digits.
  package var grouped: String {
    var digits = Substring(String(magnitude))
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.insert(digits.suffix(3), at: 0)
      digits = digits.dropLast(3)
    }
    return (self < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }
}
