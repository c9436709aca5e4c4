internal import Foundation
public import Strata

/// A layout that spreads the annotations of a stack around their common place, in a spiral of
/// slots.
///
/// An annotation's slot depends on its id. If an annotation is added or removed, every other
/// annotation stays or moves to the slot beside its own. The slots themselves never move.
///
/// ```swift
/// let offsets = SpiderLayout(spacing: 24).offsets(of: [key])
/// if let offset = offsets[key] { print(offset.x, offset.y) }
/// ```
public struct SpiderLayout: Sendable, Hashable {
  /// The distance of neighbouring slots, in points of the screen.
  public var spacing: Double

  /// Creates a layout.
  ///
  /// - Parameter spacing: about the width of an annotation, in points of the screen.
  public init(spacing: Double = 28) { self.spacing = spacing }

  /// The offset at which an annotation is drawn from the common place, in points of the screen.
  public struct Offset: Sendable, Hashable {
    /// The distance to the right.
    public let x: Double
    /// The distance downwards.
    public let y: Double
  }

  /// Returns the offset of each annotation.
  ///
  /// - Complexity: O(n log n), n being the number of ids.
  public func offsets(of ids: some Sequence<RecordKey>) -> [RecordKey: Offset] {
    let slots = Set(ids).sorted { ($0.stableHash, $0) < ($1.stableHash, $1) }
    var offsets = [RecordKey: Offset](minimumCapacity: slots.count)
    var angle = 0.0
    for id in slots {
      // In an Archimedean spiral the turns are `spacing` apart, and so are the slots on it.
      let turns = 1 + angle / (2 * .pi)
      let radius = spacing * turns
      offsets[id] = Offset(x: radius * sin(angle), y: -radius * cos(angle))
      angle += 1 / turns
    }
    return offsets
  }

  /// Returns the offset of each element's annotation.
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
