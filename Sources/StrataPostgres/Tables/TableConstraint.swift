internal import Foundation
internal import Strata
internal import StrataReplica

/// A rule of an entity as a constraint of its table on the server.
///
/// The constraints are deferrable, so that the rows of one push may swap values.
struct TableConstraint {
  /// The rule, if the table lacks it.
  let missing: MissingConstraint
  /// The statement that has a row if the table has the constraint, also under another name.
  let search: ServerStatement

  /// Returns the rules that a server can enforce. The rules of `validated` are code, so it cannot.
  ///
  /// - Parameter mappings: all tables of the replica.
  static func all(of mapping: TableMapping, among mappings: [TableMapping]) -> [TableConstraint] {
    // The columns of links have their constraints from the beginning, or are the owner's.
    if mapping.table.isJoin { return [] }
    let table = mapping.table
    let references = table.references.compactMap { reference in
      mappings.first { $0.table.id == reference.target }.map {
        Self.reference(of: mapping, reference, to: $0)
      }
    }
    return table.uniques.map { unique(mapping, $0) } + references
      + table.columns.indices.compactMap { check(mapping, $0) }
  }

  private init(
    _ kind: MissingConstraint.Kind, _ mapping: TableMapping, _ columns: [Int], _ definition: String,
    search: ServerStatement
  ) {
    missing = MissingConstraint(
      kind, mapping.table.entity, columns.map { mapping.table.columns[$0].name },
      statement: "ALTER TABLE \(mapping.name) ADD \(definition)")
    self.search = search
  }

  // MARK: - Kinds

  private static func unique(_ mapping: TableMapping, _ columns: [Int]) -> TableConstraint {
    let names = columns.map(mapping.names.column).joined(separator: ", ")
    let search = """
      SELECT 1 FROM pg_index i WHERE i.indrelid = $1::regclass AND i.indisunique AND i.indisvalid
        AND i.indpred IS NULL AND i.indexprs IS NULL
        AND (SELECT array_agg(a.attname::text ORDER BY a.attname::text COLLATE "C")
          FROM unnest(i.indkey) WITH ORDINALITY k (number, place)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
          WHERE k.place <= i.indnkeyatts)
        = (SELECT array_agg(n ORDER BY n COLLATE "C") FROM unnest($2::text[]) n)
      """
    return TableConstraint(
      .unique, mapping, columns, "UNIQUE (\(names)) DEFERRABLE",
      search: .init(search, [mapping.name, columns.map { mapping.names.columns[$0] }.arrayText]))
  }

  private static func reference(
    of mapping: TableMapping, _ reference: Reference, to target: TableMapping
  ) -> TableConstraint {
    let rule =
      switch reference.rule {
      case .nullify: "SET NULL"
      case .cascade: "CASCADE"
      case .deny: "NO ACTION"
      }
    let search = """
      SELECT 1 FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
      WHERE c.contype = 'f' AND c.conrelid = $1::regclass AND a.attname = $2 AND c.confrelid = $3::regclass
      """
    return TableConstraint(
      .reference, mapping, [reference.column],
      "FOREIGN KEY (\(mapping.names.column(reference.column))) REFERENCES \(target.name) "
        + "(\(target.keyName)) ON DELETE \(rule) DEFERRABLE",
      search: .init(
        search, [mapping.name, mapping.names.columns[reference.column], target.name]))
  }

  /// Returns the rule that a column has only values of the attribute's type; nil if the types agree.
  private static func check(_ mapping: TableMapping, _ column: Int) -> TableConstraint? {
    guard let condition = condition(mapping, column) else { return nil }
    let name = "strata_\(mapping.table.columns[column].name)"
    return TableConstraint(
      .check, mapping, [column],
      "CONSTRAINT \(name.quotedIdentifier) CHECK (\(condition))",
      search: .init(
        "SELECT 1 FROM pg_constraint WHERE contype = 'c' AND conrelid = $1::regclass "
          + "AND conname = $2::name", [mapping.name, name]))
  }

  private static func condition(_ mapping: TableMapping, _ column: Int) -> String? {
    let (name, type) = (mapping.names.column(column), mapping.type(of: column))
    let attribute = mapping.table.columns[column]
    switch type {
    case .float4, .float8: return "\(name) <> 'NaN'"
    case .numeric: return "\(name) NOT IN ('NaN')"
    case .text, .varchar:
      // The operator keeps the check when the column gets another type, such as `numeric`. PostgreSQL
      // drops a cast of a text to text.
      if attribute.isDecimal {
        return "(\(name) || '') ~ '^-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][-+]?[0-9]+)?$'"
      }
      return attribute.isJSON ? "\(name) IS NULL OR (\(name) || '')::json IS NOT NULL" : nil
    case .int2, .int4, .int8:
      guard let range = attribute.integers, !range.contains(type.integers) else { return nil }
      return "\(name) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    case .bool, .bytea, .uuid, .timestamptz: return nil
    }
  }
}

extension ServerTables {
  /// The rules of all entities that the server can enforce.
  var constraints: [(table: Table, constraint: TableConstraint)] {
    mappings.flatMap { mapping in
      TableConstraint.all(of: mapping, among: mappings).map { (mapping.table, $0) }
    }
  }
}

extension ColumnType {
  /// The numbers of an integer type.
  fileprivate var integers: ClosedRange<Int64> {
    switch self {
    case .int2: Int64(Int16.min)...Int64(Int16.max)
    case .int4: Int64(Int32.min)...Int64(Int32.max)
    default: Int64.min...Int64.max
    }
  }
}
