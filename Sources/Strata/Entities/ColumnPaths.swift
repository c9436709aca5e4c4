/// The columns of a table by key path, found in one step however many there are.
struct ColumnPaths: Sendable {
  /// Hashes of paths: a dictionary's key would have to be `Sendable`, which `AnyKeyPath` is not.
  private var positions: [Int: [(path: SendablePath, column: Int)]] = [:]

  /// The entity that the paths start from.
  private(set) var root: (any Any.Type)?

  subscript(path: AnyKeyPath) -> Int? {
    positions[path.hashValue]?.first { $0.path as AnyKeyPath == path }?.column
  }

  /// Adds the path of the next column; a path that is there keeps its column.
  mutating func add(_ path: SendablePath, column: Int) {
    if self[path] != nil { return }
    root = type(of: path as AnyKeyPath).rootType
    positions[(path as AnyKeyPath).hashValue, default: []].append((path, column))
  }
}
