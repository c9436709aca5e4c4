/// The app's options for migrations, apart from its schemas.
struct MigrationOptions: Sendable {
  var steps: [MigrationStep] = []
  var removedTables: Set<String> = []
  var progress: (@Sendable (MigrationProgress) -> Void)?

  /// Returns the steps that a store of version `stored` goes through, in order.
  func steps(after stored: Int) -> [MigrationStep] {
    steps.filter { $0.version > stored }.enumerated()
      .sorted { ($0.element.version, $0.offset) < ($1.element.version, $1.offset) }.map(\.element)
  }

  /// Throws if a step leads past the program's version.
  func check(version: Int) throws(StoreError) {
    if let step = steps.first(where: { $0.version > version }) {
      throw StoreError(
        .invalidSchema,
        "a migration step leads to version \(step.version), but the schema's version is \(version)",
        advice: "raise Stack.Options.schemaVersion")
    }
  }
}
