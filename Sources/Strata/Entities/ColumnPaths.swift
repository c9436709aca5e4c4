/// The columns of a table by key path, found in constant time.
struct ColumnPaths: Sendable {
  /// The columns by the hash of their path.
  ///
  /// The path itself cannot be a dictionary's key here: the key would have to be `Sendable`, and
  /// `AnyKeyPath` is not.
  private var positions: [Int: [(path: SendablePath, column: Int)]] = [:]

  /// The entity that the paths start from.
  private(set) var root: (any Any.Type)?

  subscript(path: AnyKeyPath) -> Int? {
    positions[path.hashValue]?.first { $0.path as AnyKeyPath == path }?.column
  }

  /// Adds the path of a column, unless the path already has a column.
  mutating func add(_ path: SendablePath, column: Int) {
    if self[path] != nil { return }
    root = type(of: path as AnyKeyPath).rootType
    positions[(path as AnyKeyPath).hashValue, default: []].append((path, column))
  }
}
