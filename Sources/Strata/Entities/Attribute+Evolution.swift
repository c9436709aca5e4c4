extension Attribute {
  /// The attribute's column had another name in stores of earlier versions.
  ///
  /// The column is renamed when such a store is opened, its values are kept. Two attributes may
  /// swap names. A declaration is used once in each store and may stay for as long as stores of
  /// earlier versions may come: the stored description remembers it.
  ///
  /// - Parameter names: the former names, the newest first.
  public func formerly(_ names: String...) -> Self {
    var copy = self
    copy.definition.evolution.formerNames += names
    return copy
  }

  /// How a value of an earlier type becomes one of today's.
  ///
  /// Needed when the storage type changes, and when an optional attribute becomes required:
  /// `Attribute(\.bpm).converted(from: Double?.self) { $0 ?? 120 }`. A type with the same storage
  /// (`Date` and `Double`, say) is converted, too, if the stored description names the earlier
  /// type. An optional attribute keeps its nulls unless `old` is optional. Several conversions
  /// may be declared, one for each earlier type.
  ///
  /// - Parameters:
  ///   - old: the type that the attribute had.
  ///   - convert: runs once for each row, inside the migration's transaction; what it throws
  ///     refuses the migration with `migrationFailed`, naming the record and the value.
  public func converted<Old: AttributeValue>(
    from old: Old.Type = Old.self, _ convert: @escaping @Sendable (Old) throws -> Value
  ) -> Self {
    var copy = self
    copy.definition.evolution.conversions.append(AttributeConversion(convert))
    return copy
  }

  /// What rows get that are there before the attribute is, and what null becomes when an optional
  /// attribute becomes required.
  ///
  /// Without it, a new attribute has the value of a new entity: one `init()` for each row, so a
  /// default like `UUID()` is different everywhere.
  public func migrationDefault(_ value: Value) -> Self {
    var copy = self
    copy.definition.evolution.fallback = value.storedCell
    return copy
  }
}

extension AttributeValue {
  /// The cell that is stored for a value of the app.
  var storedCell: Result<Cell, ValueError> {
    do throws(ValueError) { return .success(try cell.checked(Self.self)) } catch {
      return .failure(error)
    }
  }
}

/// A column that the entity no longer has: its values are dropped when an older store is opened.
///
/// Without it, a store with a column that no attribute claims is refused, because a mistyped or
/// renamed property would lose what users stored.
public struct Removed<Root: Entity>: SchemaElement {
  public let element: ElementDefinition

  /// The columns of the given names are gone.
  public init(_ columns: String...) {
    element = ElementDefinition(content: .removed(columns))
  }
}
