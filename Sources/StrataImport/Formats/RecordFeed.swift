internal import Strata

/// The records of a source on their way to a batch: bytes → scanned rows → records.
///
/// A record of the feed may give records of several tables, in any order. They are saved together.
struct RecordFeed {
  /// The tables of the feed's own records, without the tables of nested entities.
  let tables: [Table]
  /// The number of records read so far, including refused records.
  private(set) var count: Int
  /// The number of bytes up to the end of the last record read.
  var offset: Int { scanner.offset }
  /// The number of line feeds up to there.
  var lines: Int { scanner.lines }

  private let places: [FeedPlace]
  /// The places with records that no part of the document selects.
  private var placesWithOthers: Set<Int> = []
  /// Whether the input is JSON lines, which have no end mark.
  let isLines: Bool
  private var scanner: JSONRecordScanner
  private var row = JSONRow()
  private var made: [EntityMapper.Made] = []
  /// The values that the document has beside its records.
  private(set) var members = JSONMembers()

  /// - Parameter count: the number of records that another feed of this input has read before.
  init(
    _ mapper: RecordMapper, _ format: JSONFormat, longestRecord: Int, after count: Int = 0
  ) {
    let scanner = JSONRecordScanner(format, plan: mapper.plan, longestRecord: longestRecord)
    self.init([FeedPlace(mapper)], scanner, isLines: format == .lines, after: count)
  }

  /// Creates a feed of the records of a document.
  init(_ places: [FeedPlace], longestRecord: Int) {
    let scanner = JSONRecordScanner(
      places.map { ($0.path, $0.plan) }, values: Set(places.indices.filter { places[$0].isMember }),
      longestRecord: longestRecord)
    self.init(places, scanner, isLines: false, after: 0)
  }

  private init(
    _ places: [FeedPlace], _ scanner: JSONRecordScanner, isLines: Bool, after count: Int
  ) {
    self.places = places
    self.isLines = isLines
    self.scanner = scanner
    self.count = count
    var tables: [Table] = []
    for mapper in places.flatMap(\.mappers) where !tables.contains(where: { $0 === mapper.table }) {
      tables.append(mapper.table)
    }
    self.tables = tables
  }

  /// Whether records may make links.
  var hasLinks: Bool { places.contains { $0.mappers.contains(where: \.hasLinks) } }

  /// Whether records may get their position as the key, which is unique only within one source.
  var hasPositionKeys: Bool { places.contains { $0.mappers.contains(where: \.hasPositionKey) } }

  /// Whether an input of lines had no record. Lines have no end mark that proves it complete.
  var isEmptyInput: Bool { isLines && count == 0 }

  /// The tables of which the feed may lack rows. Valid after the feed was read to its end.
  var incompleteTables: [(tables: [Table], AnswerCompleteness)] {
    places.indices.compactMap { place in
      let completeness: AnswerCompleteness? =
        !isLines && !scanner.hasFoundArray(at: place)
        ? .missingArray : placesWithOthers.contains(place) ? .untakenRecords : nil
      return completeness.map { (places[place].mappers.map(\.table), $0) }
    }
  }

  /// Adds input. Take the records of a chunk before adding the next chunk.
  mutating func append(_ chunk: UnsafeRawBufferPointer) { scanner.append(chunk) }

  /// Declares that all input has been added, so that the rest is read to its end.
  mutating func finish() { scanner.finish() }

  /// Adds the records of the feed's next record to a batch.
  ///
  /// - Returns: false if the input so far has no further record.
  /// - Throws: ``ImportError``. If it `isOfOneRecord`, the batch has nothing of that record, and
  ///   the next call gives the next record. Otherwise the next call fails again.
  mutating func next(into batch: inout RecordBatch) throws(ImportError) -> Bool {
    do throws(JSONScanError) {
      repeat {
        guard try scanner.next(&row) else { return false }
      } while takeMember()
    } catch {
      let error = ImportError.scan(error)
      if error.isOfOneRecord { count += 1 }
      throw error
    }
    count += 1
    made.removeAll(keepingCapacity: true)
    do throws(EntityMapper.Refusal) { try make() } catch {
      throw .refused(error.error, path: error.path, at: scanner.location(of: row))
    }
    for next in made {
      if next.isDeletion {
        batch.delete(next.record.key(Table.keyColumn), from: next.table)
      } else {
        batch.add(next.record, to: next.table, attributes: next.attributes)
        batch.links += next.links
      }
    }
    return true
  }

  /// Keeps the value that was read if it is not a record.
  private mutating func takeMember() -> Bool {
    guard case .member(let path) = places[scanner.place].records else { return false }
    members.texts[path] = row.json
    return true
  }

  private mutating func make() throws(EntityMapper.Refusal) {
    switch places[scanner.place].records {
    case .member: break
    case .all(let mapper):
      try mapper.make(row, position: count - 1, into: &made)
    case .byText(let mappers, let ignored):
      guard case .text(let bytes) = row.cells[0], let mapper = mappers[row.string(bytes)] else {
        if case .text(let bytes) = row.cells[0], ignored.contains(row.string(bytes)) { return }
        placesWithOthers.insert(scanner.place)
        return
      }
      var record = JSONElements(record: row, mapper.plan)
      do throws(JSONElements.Fault) { _ = try record.next() } catch {
        throw EntityMapper.Refusal(path: error.path, error: ValueError(error.reason))
      }
      try mapper.make(record.row, position: count - 1, into: &made)
    }
  }
}
