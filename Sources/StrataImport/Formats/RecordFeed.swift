internal import Strata

/// One source's records as rows for the store: bytes → scanned rows → records in a batch.
///
/// A record of the feed may give rows of several tables, in any order; they are saved together.
struct RecordFeed {
  /// The tables of the records, without those of what is nested inside of them.
  let tables: [Table]
  /// The records read so far, refused ones included.
  private(set) var count: Int
  /// The bytes up to the end of the last record read.
  var offset: Int { scanner.offset }
  /// The line feeds up to there.
  var lines: Int { scanner.lines }

  private let places: [FeedPlace]
  /// The places with records that nothing takes.
  private var placesWithOthers: Set<Int> = []
  /// Whether the input has one record a line and no end of its own.
  let isLines: Bool
  private var scanner: JSONRecordScanner
  private var row = JSONRow()
  private var made: [EntityMapper.Made] = []
  /// What the document says beside its records.
  private(set) var members = JSONMembers()

  /// - Parameter count: records that were read before, by another feed of the same input.
  init(
    _ mapper: RecordMapper, _ format: JSONFormat, longestRecord: Int, after count: Int = 0
  ) {
    let scanner = JSONRecordScanner(format, plan: mapper.plan, longestRecord: longestRecord)
    self.init([FeedPlace(mapper)], scanner, isLines: format == .lines, after: count)
  }

  /// The records of a document.
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

  /// Whether records may say what they are linked with.
  var hasLinks: Bool { places.contains { $0.mappers.contains(where: \.hasLinks) } }

  /// Whether records are known by their position, which is another one only within one source.
  var hasPositionKeys: Bool { places.contains { $0.mappers.contains(where: \.hasPositionKey) } }

  /// Whether nothing was there: lines say nowhere that they are all.
  var isEmptyInput: Bool { isLines && count == 0 }

  /// The tables of which a feed that was read to its end need not have had every row.
  var incompleteTables: [(tables: [Table], AnswerCompleteness)] {
    places.indices.compactMap { place in
      let completeness: AnswerCompleteness? =
        !isLines && !scanner.hasFoundArray(at: place)
        ? .missingArray : placesWithOthers.contains(place) ? .untakenRecords : nil
      return completeness.map { (places[place].mappers.map(\.table), $0) }
    }
  }

  /// Adds input; the records of one chunk are taken before the next is added.
  mutating func append(_ chunk: UnsafeRawBufferPointer) { scanner.append(chunk) }

  /// Declares that all input has been added; what is left is then read to its end.
  mutating func finish() { scanner.finish() }

  /// Adds the rows of the next record to a batch; false if there is none yet.
  ///
  /// - Throws: ``ImportError``. If it `isOfOneRecord`, nothing of that record is in the batch, and
  ///   asking again gives the next one; otherwise asking again fails again.
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

  /// Keeps what was read if it is no record.
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
