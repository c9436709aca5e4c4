/// The names of JSON members that match an attribute's name.
enum MappingNames {
  /// Returns the name as it is, in snake_case and in camelCase, with `Id` and with `ID`.
  static func variants(of name: String) -> [String] {
    let words = words(of: name)
    let camel = words.prefix(1) + words.dropFirst().map(capitalized)
    let acronyms =
      words.prefix(1)
      + words.dropFirst().map {
        ["id", "url", "uuid"].contains($0) ? $0.uppercased() : capitalized($0)
      }
    var variants = [name]
    for variant in [words.joined(separator: "_"), camel.joined(), acronyms.joined()]
    where !variants.contains(variant) {
      variants.append(variant)
    }
    return variants
  }

  /// Returns the target's name for a reference: `artist` for `artistID` and `artist_id`.
  static func target(ofReference name: String) -> String? {
    for suffix in ["_id", "ID", "Id"] where name.hasSuffix(suffix) && name.count > suffix.count {
      return String(name.dropLast(suffix.count))
    }
    return nil
  }

  /// Returns the words of a name in lowercase, the same for `trackURLPath` and `track_url_path`.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
      if letter == "_" {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      if letter.isUppercase, !word.isEmpty {
        // An acronym ends before its last capital if a small letter follows that capital.
        let follows = index + 1 < letters.count && letters[index + 1].isLowercase
        if !letters[index - 1].isUppercase || follows {
          words.append(word)
          word = ""
        }
      }
      word += letter.lowercased()
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst()
  }
}
