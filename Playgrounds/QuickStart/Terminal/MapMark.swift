import Strata
import StrataMap

/// A mark that shows on the map where an operation took place.
struct MapMark: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case moved, restyled, removed

    func character(_ characters: MapCharacters) -> Character {
      switch self {
      case .moved: characters == .unicode ? "◆" : "+"
      case .restyled: characters == .unicode ? "◎" : "*"
      case .removed: characters == .unicode ? "✕" : "x"
      }
    }
  }

  let kind: Kind
  let coordinate: Coordinate
}

extension [MapMark] {
  /// A line with the number of marks of each kind.
  func legend(_ characters: MapCharacters) -> String {
    MapMark.Kind.allCases.compactMap { kind in
      let count = count { $0.kind == kind }
      return count == 0 ? nil : "\(kind.character(characters)) \(count) \(kind.rawValue)"
    }.joined(separator: "  ")
  }
}
