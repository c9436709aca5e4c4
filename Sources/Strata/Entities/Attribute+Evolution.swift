extension Attribute {
  /// Declares names that the attribute's column had in stores of earlier versions.
  ///
  /// Opening such a store renames the column and keeps its values. Two attributes may swap names.
  /// Each store uses a declaration only once, because the stored description remembers it. The
  /// declaration may stay as long as stores of earlier versions may be opened.
  ///
  /// - Parameter names: the former names, the newest first.
  public func formerly(_ names: String...) -> Self {
    var copy = self
    copy.definition.evolution.formerNames += names
    return copy
  }

  /// Declares how values of an earlier type are converted to the attribute's type.
  ///
  /// A conversion is needed when the storage type changes. It is one way to make an optional
  /// attribute required: `Attribute(\.bpm).converted(from: Double?.self) { $0 ?? 120 }`. A
  /// conversion between types with the same storage, such as `Date` and `Double`, runs if the
  /// stored description names the earlier type. A conversion from `T` to `T?` runs if the stored
  /// attribute is required. An optional attribute keeps its nulls unless `old` is optional.
  ///
  /// An attribute may declare several conversions, one for each earlier type, in any order. `T` and
  /// `T?` are two types: the conversion from the stored one runs, and the other one only if it is
  /// declared alone. Each conversion makes today's value of the stored value, so a store that skipped
  /// versions opens as one that did not. Two conversions from one type, and a conversion from the
  /// attribute's own type, are refused with `invalidSchema`, because they could never run.
  ///
  /// - Parameters:
  ///   - old: the earlier type of the attribute.
  ///   - convert: runs once for each row, inside the migration's transaction. If it throws, the
  ///     migration is refused with `migrationFailed`, and the error names the record and the value.
  public func converted<Old: AttributeValue>(
    from old: Old.Type = Old.self, _ convert: @escaping @Sendable (Old) throws -> Value
  ) -> Self {
    var copy = self
    copy.definition.evolution.conversions.append(AttributeConversion(convert))
    return copy
  }

  /// Declares the value of a new attribute in existing rows, or of nulls when it becomes required.
  ///
  /// Without it, a new attribute has the value of a new entity. Each row gets an `init()` of its
  /// own, so a default such as `UUID()` differs in every row.
  public func migrationDefault(_ value: Value) -> Self {
    var copy = self
    copy.definition.evolution.fallback = value.storedCell
    return copy
  }
}

extension AttributeValue {
  /// The cell that the store keeps for the value, or the error if it cannot be stored.
  var storedCell: Result<Cell, ValueError> {
    do throws(ValueError) { return .success(try cell.checked(Self.self)) } catch {
      return .failure(error)
    }
  }
}

/// A column that the entity no longer has.
///
/// Opening an older store drops the column with its values. Without this element, a store with a
/// column that no attribute claims is refused. A mistyped or renamed property would otherwise lose
/// the users' data.
///
/// ```swift
/// static let schema = Schema<Song>("songs", key: \.id) {
///   Attribute(\.title)
///   Removed("rating")
/// }
/// ```
public struct Removed<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Declares that the columns of the given names are removed.
  public init(_ columns: String...) {
    _element = _ElementDefinition(content: .removed(columns))
  }
}
