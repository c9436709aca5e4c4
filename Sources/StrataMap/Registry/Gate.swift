/// Why nothing may be delivered for now: one name in the set that keeps a gate closed.
///
///     extension GateReason { static let measuring: GateReason = "measuring" }
public struct GateReason: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// What the reason is called.
  public let description: String

  /// Creates a reason by its name; equal names are one reason.
  public init(_ name: String) { description = name }

  /// Creates a reason by its name; equal names are one reason.
  public init(stringLiteral name: String) { description = name }

  /// The user's fingers are on the map.
  public static let userInteraction: GateReason = "user interaction"
  /// The visible region is changing, by hand or by animation.
  public static let regionChange: GateReason = "region change"
  /// The map is not on screen.
  public static let hidden: GateReason = "hidden"
}

/// A set of reasons not to deliver; it is open when there is none.
///
/// Reasons do not count: one closed twice is opened once, so a callback that comes twice, or whose
/// counterpart is missing, cannot jam the gate for good.
package struct Gate: Sendable, Hashable {
  package private(set) var reasons: Set<GateReason> = []

  package init() {}

  package var isOpen: Bool { reasons.isEmpty }

  package mutating func close(_ reason: GateReason) { reasons.insert(reason) }

  package mutating func open(_ reason: GateReason) { reasons.remove(reason) }

  package mutating func clear() { reasons = [] }
}
