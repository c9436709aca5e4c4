/// The options of a replica.
///
/// ```swift
/// var options = ReplicaOptions()
/// options.isReadOnly = true
/// let replica = try await Replica.open(stack, from: .postgres("host=db dbname=app"), options: options)
/// ```
public struct ReplicaOptions: Sendable {
  /// Whether the store only follows the server.
  ///
  /// A save, an import or a deletion that would change a row of the replica throws `StoreError` with
  /// code `readOnly` and changes nothing. The role of the replica needs only the right to read the
  /// tables. Rows that the store had before its first opening, and that the server lacks, go. Edits that waited before the option was set go on to wait, until the replica is opened
  /// without it.
  public var isReadOnly = false

  /// Creates the options of a replica that reads and writes.
  public init() {}
}
