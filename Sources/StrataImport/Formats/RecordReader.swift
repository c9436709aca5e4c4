internal import Strata

/// The way of a source's records to a batch: bytes → scanned records → records.
///
/// A record of the input may give records of several tables, in any order. They are saved together.
struct RecordReader {
  /// The tables of the input's own records, without the tables of nested entities.
  let tables: [Table]
  /// The number of records read so far, including refused records.
  private(set) var count: Int
  /// The number of records that a later record of their key replaced in its batch.
  private(set) var duplicates = 0
  /// The number of bytes up to the end of the last record read.
  var offset: Int { scanner.offset }
  /// The number of line feeds up to there.
  var lines: Int { scanner.lines }

  private let paths: [RecordPath]
  /// The paths with records that no part of the document selects.
  private var pathsWithOthers: Set<Int> = []
  /// Whether the input is JSON lines, which have no end mark.
  let isLines: Bool
  private var scanner: JSONRecordScanner
  private var scanned = ScannedRecord()
  private var made: [EntityMapper.Made] = []
  /// The members that no record has had so far, for each path.
  private var unseen: [UnseenMembers]
  /// The values that the document has beside its records.
  private(set) var members = JSONMembers()

  /// - Parameter count: the number of records that another reader of this input has read before.
  init(
    _ mapper: RecordMapper, _ format: JSONFormat, longestRecord: Int, after count: Int = 0
  ) {
    let scanner = JSONRecordScanner(format, plan: mapper.plan, longestRecord: longestRecord)
    self.init([RecordPath(mapper)], scanner, isLines: format == .lines, after: count)
  }

  /// Creates a reader of the records of a document.
  init(_ paths: [RecordPath], isLines: Bool, longestRecord: Int) {
    let scanner =
      isLines
      ? JSONRecordScanner(.lines, plan: paths[0].plan, longestRecord: longestRecord)
      : JSONRecordScanner(
        paths.map { ($0.path, $0.plan) }, values: Set(paths.indices.filter { paths[$0].isMember }),
        members: Set(paths.indices.filter { paths[$0].areMembers }), longestRecord: longestRecord)
    self.init(paths, scanner, isLines: isLines, after: 0)
  }

  private init(
    _ paths: [RecordPath], _ scanner: JSONRecordScanner, isLines: Bool, after count: Int
  ) {
    self.paths = paths
    self.isLines = isLines
    self.scanner = scanner
    self.count = count
    unseen = paths.map(UnseenMembers.init)
    var tables: [Table] = []
    for mapper in paths.flatMap(\.mappers) where !tables.contains(where: { $0 === mapper.table }) {
      tables.append(mapper.table)
    }
    self.tables = tables
  }

  /// Whether a value that does not fit became the value for unknown ones.
  var hasUnknownValues: Bool { paths.contains { $0.mappers.contains(where: \.hasUnknownValues) } }

  /// The tables of all records, of nested entities and of links.
  var writtenTables: Set<TableID> {
    paths.flatMap(\.mappers).reduce(into: []) { $0.formUnion($1.tables) }
  }

  /// The columns by which rows that were made here are found.
  var matches: [RowMatch] { paths.flatMap { $0.mappers.flatMap(\.matches) } }

  /// Whether records may make links.
  var hasLinks: Bool { paths.contains { $0.mappers.contains(where: \.hasLinks) } }

  /// Whether records may get their position as the key, which is unique only within one source.
  var hasPositionKeys: Bool { paths.contains { $0.mappers.contains(where: \.hasPositionKey) } }

  /// Whether an input of lines had no record. Lines have no end mark that proves it complete.
  var isEmptyInput: Bool { isLines && count == 0 }

  /// The tables of which the input may lack rows. Valid after the input was read to its end.
  var incompleteTables: [(tables: [Table], AnswerCompleteness)] {
    paths.indices.compactMap { index in
      let completeness: AnswerCompleteness? =
        !isLines && !scanner.hasFoundArray(at: index)
        ? .missingArray : pathsWithOthers.contains(index) ? .untakenRecords : nil
      return completeness.map { (paths[index].mappers.map(\.table), $0) }
    }
  }

  /// The members of the paths of which the input had records.
  var seenMembers: [(name: String, isFound: Bool)] { unseen.flatMap(\.members) }

  /// Adds input. Take the records of a chunk before adding the next chunk.
  mutating func append(_ chunk: UnsafeRawBufferPointer) { scanner.append(chunk) }

  /// Declares that all input has been added, so that the rest is read to its end.
  mutating func finish() { scanner.finish() }

  /// Adds the records of the input's next record to a batch.
  ///
  /// - Returns: false if the input so far has no further record.
  /// - Throws: ``ImportError``. If it `isOfOneRecord`, the batch has nothing of that record, and
  ///   the next call gives the next record. Otherwise the next call fails again.
  mutating func next(into batch: inout RecordBatch) throws(ImportError) -> Bool {
    do throws(JSONScanError) {
      repeat {
        guard try scanner.next(&scanned) else { return false }
      } while takeMember()
    } catch {
      var fault = ImportError.scan(error)
      if case .value(let value) = error, value.slot != nil || !value.path.steps.isEmpty {
        fault = fault.advising(advice(at: value.path, fault.message))
      }
      if fault.isOfOneRecord { fault.entity = entity }
      if fault.isOfOneRecord { count += 1 }
      throw fault
    }
    count += 1
    made.removeAll(keepingCapacity: true)
    unseen[scanner.pathIndex].look(at: scanned)
    let table: Table?
    do throws(EntityMapper.Refusal) { table = try make() } catch {
      var refusal = ImportError.refused(
        error.error, path: error.path, advice: error.advice, at: scanner.location(of: scanned)
      ).advising(advice(at: error.path, error.error.message))
      refusal.entity = entity
      throw refusal
    }
    for next in made {
      if next.isDeletion {
        batch.delete(next.record.key(Table.keyColumn), from: next.table)
      } else {
        let isDuplicate = batch.add(next.record, to: next.table, attributes: next.attributes)
        if isDuplicate && next.table === table { duplicates += 1 }
        batch.links += next.links
      }
    }
    return true
  }

  /// Returns the remedy for a value at the current path that is not a field's.
  private func advice(at path: JSONPath, _ reason: String) -> String? {
    paths[scanner.pathIndex].mappers.lazy.compactMap { $0.advice(at: path, reason) }.first
  }

  /// The entity of the records at the current path; nil if they may be of several.
  private var entity: String? {
    let mappers = paths[scanner.pathIndex].mappers
    return mappers.count == 1 ? mappers[0].table.entity : nil
  }

  /// Keeps the value that was read if it is not a record.
  private mutating func takeMember() -> Bool {
    guard case .member(let path) = paths[scanner.pathIndex].records else { return false }
    members.texts[path] = scanned.json
    return true
  }

  /// Makes the records of the scanned record.
  ///
  /// - Returns: the table of the record itself; nil if no part of the document takes the record.
  private mutating func make() throws(EntityMapper.Refusal) -> Table? {
    switch paths[scanner.pathIndex].records {
    case .member: return nil
    case .all(let mapper):
      try mapper.make(scanned, position: count - 1, into: &made)
      return mapper.table
    case .byText(let mappers, let ignored):
      guard case .text(let bytes) = scanned.cells[0], let mapper = mappers[scanned.string(bytes)]
      else {
        if case .text(let bytes) = scanned.cells[0], ignored.contains(scanned.string(bytes)) {
          return nil
        }
        pathsWithOthers.insert(scanner.pathIndex)
        return nil
      }
      var record = JSONElements(
        record: scanned, isMember: paths[scanner.pathIndex].areMembers, mapper.plan)
      do throws(JSONElements.Fault) { _ = try record.next() } catch {
        throw EntityMapper.Refusal(
          path: error.path, error: ValueError(error.reason), advice: error.advice)
      }
      try mapper.make(record.scanned, position: count - 1, into: &made)
      return mapper.table
    }
  }
}
