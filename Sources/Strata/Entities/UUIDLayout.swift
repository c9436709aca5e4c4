/// A type whose only stored property is a `UUID`, and which is stored like a `UUID`.
///
/// Its values are read and written in memory like UUIDs, without a key path. The compiler gives a
/// struct with one property the same layout as that property. The same holds for their optionals.
package protocol UUIDLayout: AttributeValue {}

/// The optional of a type that is laid out as a `UUID`.
package protocol OptionalUUIDLayout: AttributeValue {}

extension Key: UUIDLayout {}
extension Optional: OptionalUUIDLayout where Wrapped: UUIDLayout {}
