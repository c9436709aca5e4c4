import Foundation
import Strata
import StrataMap

/// A map that also writes its operations down.
@MainActor final class Journal: AnnotationSurface {
  /// The operations since the last page, each with its mark on the map.
  struct Page {
    let lines: [String]
    let marks: [MapMark]
  }

  private struct Entry {
    let key: RecordKey
    let line: String
    var mark: MapMark?
  }

  let map: TerminalMap
  private var entries: [Entry] = []

  init(_ map: TerminalMap) { self.map = map }

  func apply(_ operation: AnnotationOperation) {
    entries.append(entry(operation))
    map.apply(operation)
  }

  /// Returns the operations so far, and begins a new page.
  ///
  /// The operations on different annotations are independent, and their order differs between two
  /// runs. So a page has them by key.
  func takePage() -> Page {
    defer { entries = [] }
    let sorted = entries.enumerated().sorted {
      ($0.element.key, $0.offset) < ($1.element.key, $1.offset)
    }.map(\.element)
    return Page(lines: sorted.map(\.line), marks: sorted.compactMap(\.mark))
  }

  private func entry(_ operation: AnnotationOperation) -> Entry {
    switch operation {
    case .add(let pin):
      return Entry(key: pin.id, line: "add      \(pin.title)")
    case .move(let id, let place):
      let line = "move     \(title(id)) to \(place.text)"
      return Entry(key: id, line: line, mark: MapMark(kind: .moved, coordinate: place))
    case .restyle(let pin):
      let line = "restyle  \(pin.title): \(pin.subtitle)"
      return Entry(
        key: pin.id, line: line, mark: MapMark(kind: .restyled, coordinate: pin.coordinate))
    case .remove(let id):
      let mark = map.annotations[id].map { MapMark(kind: .removed, coordinate: $0.coordinate) }
      return Entry(key: id, line: "remove   \(title(id))", mark: mark)
    }
  }

  private func title(_ id: RecordKey) -> String { map.annotations[id]?.title ?? "\(id)" }
}

extension Coordinate {
  fileprivate var text: String {
    String(format: "%.1f° %.1f°", latitude, longitude)
  }
}
