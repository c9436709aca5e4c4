internal import Foundation
public import Strata

/// Places for the annotations of a stack around the place that they share: a spiral of slots.
///
/// Every annotation has a slot by its id. When one comes or goes, each of the others stays or moves
/// to the slot beside its own: the slots themselves never move.
public struct SpiderLayout: Sendable, Hashable {
  /// The distance of neighbouring slots, in points of the screen.
  public var spacing: Double

  /// Creates a layout.
  ///
  /// - Parameter spacing: about the width of an annotation, in points of the screen.
  public init(spacing: Double = 28) { self.spacing = spacing }

  /// How far from the shared place an annotation is drawn, in points of the screen.
  public struct Offset: Sendable, Hashable {
    /// To the right.
    public let x: Double
    /// Downwards.
    public let y: Double
  }

  /// Where to draw each annotation.
  ///
  /// - Complexity: O(n log n), n being the number of ids.
  public func offsets(of ids: some Sequence<RecordKey>) -> [RecordKey: Offset] {
    let slots = Set(ids).sorted { ($0.stableHash, $0) < ($1.stableHash, $1) }
    var offsets = [RecordKey: Offset](minimumCapacity: slots.count)
    var angle = 0.0
    for id in slots {
      // An Archimedean spiral: its turns are `spacing` apart, and so are the slots on it.
      let turns = 1 + angle / (2 * .pi)
      let radius = spacing * turns
      offsets[id] = Offset(x: radius * sin(angle), y: -radius * cos(angle))
      angle += 1 / turns
    }
    return offsets
  }

  /// Where to draw the annotation of each element.
  ///
  /// - Complexity: O(n log n), n being the number of ids.
  public func offsets<ID: AttributeValue & Hashable>(of ids: some Sequence<ID>) -> [ID: Offset] {
    var idsByKey: [RecordKey: ID] = [:]
    for id in ids {
      if let key = id.recordKey { idsByKey[key] = id }
    }
    var found: [ID: Offset] = [:]
    for (key, offset) in offsets(of: idsByKey.keys) {
      if let id = idsByKey[key] { found[id] = offset }
    }
    return found
  }
}
