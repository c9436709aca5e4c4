// The typed edge converts entities to records and records to entities.

extension Table {
  func encode<E: Entity>(
    _ entity: E, _ builder: RecordBuilder
  ) throws(CodingFailure) -> Record {
    var result: Result<Record, CodingFailure>?
    withUnsafePointer(to: entity) { pointer in
      do throws(CodingFailure) {
        result = .success(try codec.encode(UnsafeRawPointer(pointer), into: builder))
      } catch {
        result = .failure(error)
      }
    }
    guard let result else { fatalError("the body of withUnsafePointer did not run") }
    return try result.get()
  }

  func decode<E: Entity>(_ record: Record, as _: E.Type) throws(CodingFailure) -> E {
    try record.withView { view throws(CodingFailure) in try decode(view) }
  }

  /// Returns the entity of a record, with its default value for an attribute that cannot be read.
  func decodeLeniently<E: Entity>(_ record: Record, as _: E.Type) -> E {
    var entity = E()
    withUnsafeMutablePointer(to: &entity) { pointer in
      record.withView { view in
        // Lenient decoding never throws.
        try? codec.decode(view, into: UnsafeMutableRawPointer(pointer)) { _ in }
      }
    }
    return entity
  }

  func decode<E: Entity>(_ row: some CellSource) throws(CodingFailure) -> E {
    var entity = E()
    var failure: CodingFailure?
    withUnsafeMutablePointer(to: &entity) { pointer in
      do throws(CodingFailure) {
        try codec.decode(row, into: UnsafeMutableRawPointer(pointer))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return entity
  }
}
