/// Finds out which stored name a wanted one means, with declarations of former names.
///
/// A name that is stored means itself, unless a former name declared for it takes over: that of
/// swapped names. A declaration that the stored description remembers was used already and counts
/// only where the name itself is missing.
enum FormerNames {
  struct Wanted {
    let name: String
    let former: [String]
  }

  struct Stored {
    let name: String
    /// The declarations that this name's description remembers.
    let former: [String]
  }

  /// The stored name's position for each wanted name; nil for what is new.
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
    // A claim stands if its own name is free: not stored, or claimed by another one that stands.
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
