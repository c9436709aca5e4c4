/// The record of a new entity, for rows of which a feed has only some attributes.
package struct NewEntity: Sendable {
  /// The record of a sample.
  package let record: Record
  /// The attributes that differ in every new entity, such as a UUID.
  ///
  /// The key is never among them, because a feed has it.
  package let changing: AttributeSet
  private let encode: @Sendable (RecordBuilder) throws(CodingFailure) -> Record

  /// The number of samples; more than two, because a clock may stand still between two entities.
  private static let samples = 8

  init<E: Entity>(_: E.Type, _ table: Table) throws(CodingFailure) {
    encode = { builder throws(CodingFailure) in try table.encode(E(), builder) }
    let builder = RecordBuilder()
    record = try encode(builder)
    var changing = AttributeSet()
    for _ in 1..<Self.samples { changing.formUnion(try encode(builder).differences(from: record)) }
    self.changing = changing.subtracting(AttributeSet([Table.keyColumn]))
  }

  /// Returns the record of a further new entity.
  package func another(_ builder: RecordBuilder) throws(ValueError) -> Record {
    do throws(CodingFailure) { return try encode(builder) } catch { throw error.error }
  }
}
