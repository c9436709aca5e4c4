/// A reason to keep a gate closed, identified by its name.
///
/// ```swift
/// extension GateReason {
///   static let measuring: GateReason = "measuring"
/// }
/// ```
public struct GateReason: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name of the reason.
  public let description: String

  /// Creates a reason from its name; equal names are the same reason.
  public init(_ name: String) { description = name }

  /// Creates a reason from its name; equal names are the same reason.
  public init(stringLiteral name: String) { description = name }

  /// The user's fingers are on the map.
  public static let userInteraction: GateReason = "user interaction"
  /// The visible region is changing, by hand or by animation.
  public static let regionChange: GateReason = "region change"
  /// The map is not on screen.
  public static let hidden: GateReason = "hidden"
}

/// A set of reasons to hold operations back; the gate is open when the set is empty.
///
/// Reasons do not count: a reason that is closed twice is opened by a single call. So a callback
/// that comes twice, or whose counterpart is missing, cannot jam the gate for good.
package struct Gate: Sendable, Hashable {
  package private(set) var reasons: Set<GateReason> = []

  package init() {}

  package var isOpen: Bool { reasons.isEmpty }

  package mutating func close(_ reason: GateReason) { reasons.insert(reason) }

  package mutating func open(_ reason: GateReason) { reasons.remove(reason) }

  package mutating func clear() { reasons = [] }
}
