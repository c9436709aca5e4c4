public import Foundation
public import Strata

extension PushRequest {
  /// What a server is to be sent, as the JSON that a mapping reads: all attributes of an insertion;
  /// the key, and those attributes that were edited here, of an update.
  ///
  /// An entity that the mapping nests inside of another one is written by its key alone, and arrays
  /// of entities that refer to this one are left out: what was edited of those is a request of
  /// their own. Elements of one array, such as coordinates, are written together.
  ///
  /// ```swift
  /// try await outbox.push { request in
  ///   guard let body = try request.json(Song.json) else { return .refused("no song") }
  ///   try await server.put(body, at: "songs/\(request.key)")
  ///   return .done
  /// }
  /// ```
  ///
  /// - Returns: nil for a deletion, for a request about something else, and if the mapping has no
  ///   field for anything that was edited.
  /// - Throws: ``ImportError`` with code `invalidMapping` if the mapping cannot be turned round;
  ///   `StoreError` with code `invalidValue` for a value that its field would not read as it is.
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
