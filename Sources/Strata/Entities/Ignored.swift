/// A stored property that the store does not keep.
///
/// ```swift
/// struct Track: Entity {
///   var id = UUID.timeOrdered()
///   var title = ""
///   var isPlaying = false
///
///   static let schema = Schema<Track>("tracks", key: \.id) {
///     Attribute(\.title)
///     Ignored(\.isPlaying)
///   }
/// }
/// ```
///
/// In every entity that a context returns, also before a save, the property has its default value,
/// or the value that the setter of an attribute gives it. A schema lists each stored property, as an
/// attribute or as ignored: opening a stack throws ``StoreError/Code/invalidSchema`` for a property
/// that is missing. An attribute that is observed or wrapped stands for its stored property.
public struct Ignored<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Ignores the property at `path`, or all properties of an ``Embedded`` struct.
  public init<Value>(
    _ path: any KeyPath<Root, Value> & Sendable, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    let bytes = MemoryLayout<Root>.offset(of: path).map { $0..<($0 + MemoryLayout<Value>.size) }
    _element = _ElementDefinition(
      content: .ignored(
        IgnoredProperty(
          path: path, type: Value.self, bytes: bytes, source: SourceLine(fileID, line))))
  }
}

/// An ignored property without its types.
struct IgnoredProperty: Sendable {
  let path: SendablePath
  let type: any Any.Type
  /// The property's bytes in the entity; nil if it has none of its own.
  let bytes: Range<Int>?
  let source: SourceLine
}
