import Foundation
import Strata
import StrataMap

/// A map that also writes its operations down.
@MainActor final class Journal: AnnotationSurface {
  let map = TerminalMap()
  private(set) var lines: [String] = []

  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let pin): lines.append("add      \(pin.title)")
    case .move(let id, let place): lines.append("move     \(title(id)) to \(place.text)")
    case .restyle(let pin): lines.append("restyle  \(pin.title): \(pin.subtitle)")
    case .remove(let id): lines.append("remove   \(title(id))")
    }
    map.apply(operation)
  }

  /// Returns the lines so far and begins a new page.
  func takeLines() -> [String] {
    defer { lines = [] }
    return lines
  }

  private func title(_ id: RecordKey) -> String { map.annotations[id]?.title ?? "\(id)" }
}

extension Coordinate {
  fileprivate var text: String {
    String(format: "%.1f° %.1f°", latitude, longitude)
  }
}
