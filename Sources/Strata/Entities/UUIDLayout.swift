/// A type whose only stored property is a `UUID`, and which is stored like one.
///
/// Values are read and written in memory as UUIDs are, without a key path. The compiler lays a
/// struct of one property out as that property, its optional included.
package protocol UUIDLayout: AttributeValue {}

/// The optional of a type that is laid out as a `UUID`.
package protocol OptionalUUIDLayout: AttributeValue {}

extension Key: UUIDLayout {}
extension Optional: OptionalUUIDLayout where Wrapped: UUIDLayout {}
