internal import Strata

/// One source's records as rows for the store: bytes → scanned rows → records in a batch.
///
/// A record of the feed may give rows of several tables, in any order; they are saved together.
struct RecordFeed {
  /// The tables that a record may give rows of.
  var tables: [Table] { mapper.tables }
  /// The records read so far, refused ones included.
  private(set) var count: Int
  /// The bytes up to the end of the last record read.
  var offset: Int { scanner.offset }
  /// The line feeds up to there.
  var lines: Int { scanner.lines }

  private let mapper: RecordMapper
  private var scanner: JSONRecordScanner
  private var row = JSONRow()
  private var made: [EntityMapper.Made] = []

  /// - Parameter count: records that were read before, by another feed of the same input.
  init(_ mapper: RecordMapper, _ format: JSONFormat, after count: Int = 0) {
    self.mapper = mapper
    self.count = count
    scanner = JSONRecordScanner(format, plan: mapper.plan)
  }

  /// Adds input; the records of one chunk are taken before the next is added.
  mutating func append(_ chunk: UnsafeRawBufferPointer) { scanner.append(chunk) }

  /// Declares that all input has been added; what is left is then read to its end.
  mutating func finish() { scanner.finish() }

  /// Adds the rows of the next record to a batch; false if there is none yet.
  ///
  /// - Throws: ``ImportError``. If it `isOfOneRecord`, nothing of that record is in the batch, and asking
  ///   again gives the next one; otherwise asking again fails again.
  mutating func next(into batch: inout RecordBatch) throws(ImportError) -> Bool {
    do throws(JSONScanError) {
      guard try scanner.next(&row) else { return false }
    } catch {
      let error = ImportError.scan(error)
      if error.isOfOneRecord { count += 1 }
      throw error
    }
    count += 1
    made.removeAll(keepingCapacity: true)
    do throws(EntityMapper.Refusal) {
      try mapper.make(row, position: count - 1, into: &made)
    } catch {
      throw .refused(error.error, path: error.path, at: scanner.location(of: row))
    }
    for next in made { batch.add(next.record, to: next.table, attributes: next.attributes) }
    return true
  }
}
