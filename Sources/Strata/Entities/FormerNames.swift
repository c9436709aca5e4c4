/// The matching of wanted names with stored names, with the help of declared former names.
///
/// A wanted name that is stored matches itself. A declared former name takes precedence if the
/// wanted name's own stored name goes to another wanted name, as when two names are swapped. If the
/// stored description remembers a declaration, the store has used it before. Such a declaration
/// counts only if the wanted name itself is not stored.
enum FormerNames {
  struct Wanted {
    let name: String
    let former: [String]
  }

  struct Stored {
    let name: String
    /// The declarations that the stored description remembers for this name.
    let former: [String]
  }

  /// Returns the position of the stored name for each wanted name, or nil for a new name.
  ///
  /// - Complexity: O(n²) in the number of names that declare a former one, O(n) otherwise.
  static func match(_ wanted: [Wanted], _ stored: [Stored]) -> [Int?] {
    let positions = Dictionary(
      stored.enumerated().map { ($1.name.folded, $0) }, uniquingKeysWith: { first, _ in first })
    let exact = wanted.map { positions[$0.name.folded] }
    var claims = wanted.indices.map { index -> Int? in
      wanted[index].former.lazy.compactMap { former in
        guard let position = positions[former.folded], position != exact[index] else { return nil }
        let known = exact[index].map { stored[$0].former } ?? []
        return known.contains { $0.isSameName(as: former) } ? nil : position
      }.first
    }
    // A claim stands if its wanted name is not stored, or if another standing claim takes that
    // stored name.
    while true {
      let claimed = Set(claims.compactMap { $0 })
      let fallen = claims.indices.filter { index in
        guard claims[index] != nil, let own = exact[index] else { return false }
        return !claimed.contains(own)
      }
      if fallen.isEmpty { break }
      for index in fallen { claims[index] = nil }
    }
    let claimed = Set(claims.compactMap { $0 })
    return wanted.indices.map { index in
      if let claim = claims[index] { return claim }
      return exact[index].flatMap { claimed.contains($0) ? nil : $0 }
    }
  }
}
