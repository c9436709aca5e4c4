public import Foundation

/// The key of one type of entity, a time-ordered UUID that is distinct from other entities' keys.
///
/// ```swift
/// struct Song: Entity {
///   var id = Key<Song>()
///   var artistID: Artist.ID?
///
///   static let artist = toOne(\.artistID, Artist.self)
///   static let schema = Schema<Song>("songs", key: \.id) { artist }
/// }
/// ```
///
/// If an artist's `id` is a `Key<Artist>`, then code that passes a song's key for an artist's key
/// does not compile. A `Key` is stored exactly like a `UUID`, as a blob of 16 bytes. A property may
/// change from one to the other without a migration. New keys sort by their creation, like
/// `UUID.timeOrdered()`. They can be made offline.
///
/// Keys that a server numbers can have a type of their own in the same way:
///
/// ```swift
/// struct Order: Entity {
///   struct ID: RawRepresentable, ComparableValue, Hashable { var rawValue: Int64 }
///   var id = ID(rawValue: 0)
///
///   static let schema = Schema<Order>("orders", key: \.id) {}
/// }
/// ```
public struct Key<Root>: Sendable {
  /// The key without its type.
  public let uuid: UUID

  /// Creates a new key, which sorts after all earlier keys of this process.
  ///
  /// Keys of two processes or devices sort by the milliseconds of their clocks.
  public init() { uuid = .timeOrdered() }

  /// Creates the key with a given UUID, such as a UUID from a server.
  public init(_ uuid: UUID) { self.uuid = uuid }
}

extension Key: Hashable, Comparable {
  public static func < (left: Key, right: Key) -> Bool { left.uuid < right.uuid }
}

/// The text form of the UUID, in capital letters.
extension Key: LosslessStringConvertible {
  /// Creates the key with a UUID's text form, in letters of either case.
  ///
  /// The result is nil if the text is not a UUID.
  public init?(_ string: String) {
    guard let uuid = UUID(uuidString: string) else { return nil }
    self.uuid = uuid
  }

  public var description: String { uuid.uuidString }
}

/// Coded like its UUID, as a string in JSON.
extension Key: Codable {
  public init(from decoder: any Decoder) throws {
    uuid = try decoder.singleValueContainer().decode(UUID.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(uuid)
  }
}

/// Stored as the 16 bytes of its UUID.
extension Key: ComparableValue {
  public init(cell: Cell) throws(ValueError) { uuid = try UUID(cell: cell) }
  public var cell: Cell { uuid.cell }
  public static var storage: StorageType { UUID.storage }
}
