public import Foundation
public import Strata

extension PushRequest {
  /// Returns the request's body for a server, as the JSON that a mapping reads.
  ///
  /// The body of an insertion has all attributes. The body of an update has the key and the edited
  /// attributes. A nested entity is written as its key alone. Arrays of entities that refer to this
  /// entity are left out, because the edits of these entities are requests of their own. The
  /// elements of an array, such as coordinates, are written together.
  ///
  /// ```swift
  /// try await outbox.push { request in
  ///   guard let id = request.id(of: Song.self) else { return .refused("no song") }
  ///   if let body = try request.json(Song.json) {
  ///     try await server.put(body, at: "songs/\(id)")
  ///   } else if request.kind == .delete {
  ///     try await server.delete("songs/\(id)")
  ///   }
  ///   return .done
  /// }
  /// ```
  ///
  /// - Returns: nil for a deletion, for a request of another entity, and for an update if the
  ///   mapping has no field for any edited attribute.
  /// - Throws: ``ImportError`` with code `invalidMapping` if the mapping cannot be reversed.
  ///   `StoreError` with code `invalidValue` for a value that its field would not read back.
  public func json<E: Entity>(_ mapping: JSONMapping<E> = .automatic) throws -> Data? {
    guard let (record, columns, model) = exported(as: E.self) else { return nil }
    var entity = try EntityWriter(mapping.definition, in: model, isWhole: false)
    if kind == .update {
      guard let part = entity.only(columns) else { return nil }
      entity = part
    }
    var writer = JSONWriter()
    try entity.write(record, nil, to: &writer)
    return Data(writer.bytes)
  }
}
