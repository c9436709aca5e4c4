/// An SQL statement whose values are kept apart from its text.
///
/// ```swift
/// let songs = try await stack.read("SELECT * FROM songs WHERE bpm > \(limit)", as: Song.self)
/// ```
///
/// An interpolated value is bound as a parameter. It is never part of the text, so no value can
/// change the meaning of the statement.
///
/// | interpolation | becomes |
/// | --- | --- |
/// | `\(limit)` | a parameter with the value, stored as an attribute of its type would be |
/// | `\(list: ids)` | `(?, ?, ?)`, for `IN` |
/// | `\(Song.self)` | the name of the entity's table |
/// | `\(\Song.bpm)` | the name of the attribute's column |
/// | `\(sql: condition)` | another ``RawSQL`` |
public struct RawSQL: Sendable, ExpressibleByStringInterpolation {
  fileprivate enum Part: Sendable {
    case text(String)
    /// A value whose parameter is added to the text.
    case value(Cell)
    /// A value whose parameter is already in the text.
    case argument(Cell)
    case list([Cell])
    case table(any Entity.Type)
    case column(any Entity.Type, SendablePath)
    /// A value that cannot be stored; running the statement reports it.
    case invalid(ValueError)
  }

  private var parts: [Part]

  /// Makes a statement without values.
  public init(stringLiteral text: String) { parts = [.text(text)] }

  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// Makes a statement from a text with a `?` for each of the values.
  public init(_ text: String, _ values: any AttributeValue...) {
    parts =
      [.text(text)]
      + values.map { value in
        do throws(ValueError) { return .argument(try value.cell) } catch { return .invalid(error) }
      }
  }

  /// Collects the interpolations of a statement.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    public mutating func appendLiteral(_ text: String) { parts.append(.text(text)) }

    /// Adds a parameter with a value.
    public mutating func appendInterpolation(_ value: some AttributeValue) {
      do throws(ValueError) { parts.append(.value(try value.cell)) } catch {
        parts.append(.invalid(error))
      }
    }

    /// Adds a list of parameters in parentheses, for `IN`; at most 32,000 values.
    public mutating func appendInterpolation(list values: some Sequence<some AttributeValue>) {
      do throws(ValueError) {
        var cells: [Cell] = []
        for value in values { cells.append(try value.cell) }
        parts.append(.list(cells))
      } catch {
        parts.append(.invalid(error))
      }
    }

    /// Adds the name of an entity's table.
    public mutating func appendInterpolation<E: Entity>(_ type: E.Type) {
      parts.append(.table(type))
    }

    /// Adds the name of an attribute's column.
    public mutating func appendInterpolation<E: Entity, Value: AttributeValue>(
      _ path: any KeyPath<E, Value> & Sendable
    ) {
      parts.append(.column(E.self, path))
    }

    /// Adds a statement, or a part of a statement.
    public mutating func appendInterpolation(sql: RawSQL) { parts += sql.parts }
  }

  /// Returns the text with a `?` for each value, and the values.
  func resolved(_ model: Model) throws(StoreError) -> (text: String, values: [Cell]) {
    var text = ""
    var values: [Cell] = []
    for part in parts {
      switch part {
      case .text(let more): text += more
      case .value(let cell):
        text += "?"
        values.append(cell)
      case .argument(let cell): values.append(cell)
      case .list(let cells):
        text += "(\(cells.map { _ in "?" }.joined(separator: ", ")))"
        values += cells
      case .table(let type): text += try model.table(of: type, for: "\(type)").name.quotedIdentifier
      case .column(let type, let path):
        let table = try model.table(of: type, for: "\(type)")
        text += table.columns[try table.column(of: path)].name.quotedIdentifier
      case .invalid(let error): throw .raw(error.message, text)
      }
    }
    return (text, values)
  }
}
