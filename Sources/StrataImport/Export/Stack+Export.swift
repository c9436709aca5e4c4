public import Foundation
public import Strata

extension Stack {
  /// Writes a query's entities as the JSON that an import by the same mapping reads.
  ///
  /// The export reads all entities from one commit, however long it takes, and writes them in the
  /// query's order. Memory holds a chunk of some 64 KiB, and one record with its nested entities. A
  /// nested entity is written where the mapping has it. Without a mapping every attribute is
  /// written under its own name, and a reference as its key.
  ///
  /// An import reads every exported value back unchanged. An attribute without a field is left out.
  /// A value that its field would not read back is an error. Dates in seconds, milliseconds or
  /// microseconds since 1970 are rounded to the precision of that number. A reference without a
  /// target, which reads as nil, is written as null where the mapping nests an object.
  ///
  /// While the export runs, the write-ahead log keeps every commit.
  ///
  /// ```swift
  /// try await stack.exportJSON(Song.all, as: .lines, mapping: Song.json) { chunk in
  ///   try await upload.send(chunk)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - query: the query of the entities to write.
  ///   - format: the form of the document.
  ///   - mapping: the mapping of attributes to members, as for an import.
  ///   - write: takes the next bytes. The export reads no more rows before it returns.
  /// - Returns: the number of entities written, without nested entities.
  /// - Throws: the error of `write`. ``ImportError`` with code `invalidMapping` if the mapping
  ///   cannot be reversed. `StoreError` with code `invalidValue`, `invalidQuery`, `cancelled`,
  ///   `closed`, `suspended` if the stack is suspended meanwhile, or a code of SQLite.
  ///   `CancellationError`.
  /// - Complexity: O(*n*) in the number of entities, O(*n* log *n*) if no index has their order.
  @discardableResult
  @concurrent
  public func exportJSON<E: Entity>(
    _ query: Query<E>, as format: JSONFormat = .array, mapping: JSONMapping<E> = .automatic,
    to write: @Sendable (Data) async throws -> Void
  ) async throws -> Int {
    let entity = try EntityWriter(mapping.definition, in: store.model)
    if entity.hasName && !format.hasMembers {
      throw ImportError.mapping(
        "an attribute of \(entity.table.entity) is the name of a member, which only the format members "
          + "has")
    }
    let frame = JSONFrame(format)
    let rows = try await ExportRows(query, of: self)
    var page = ExportPage()
    page.writer.append(json: frame.start)
    while let next = try await rows.next(
      page,
      { page, record, relations throws(StoreError) in
        page.writer.append(json: page.count == 0 ? "" : frame.separator)
        if format.hasMembers { try entity.writeName(of: record, to: &page.writer) }
        try entity.write(record, relations, to: &page.writer)
        page.writer.append(json: frame.terminator)
        page.count += 1
        return page.writer.bytes.count >= ExportPage.limit
      })
    {
      try Task.checkCancellation()
      if !next.writer.bytes.isEmpty { try await write(Data(next.writer.bytes)) }
      page = ExportPage(count: next.count)
    }
    if !frame.end.isEmpty { try await write(Data(frame.end.utf8)) }
    return page.count
  }

  /// Writes a query's entities as JSON in memory, for small results.
  ///
  /// ```swift
  /// let json = try await stack.exportJSON(Song.all.limit(20), mapping: Song.json)
  /// ```
  ///
  /// It works like ``exportJSON(_:as:mapping:to:)``, but holds the whole document in memory.
  ///
  /// - Returns: the whole document, in UTF-8.
  /// - Throws: ``ImportError``, `StoreError` and `CancellationError`, as that function does.
  /// - Complexity: O(*n*) in the number of entities, in memory, too.
  @concurrent
  public func exportJSON<E: Entity>(
    _ query: Query<E>, as format: JSONFormat = .array, mapping: JSONMapping<E> = .automatic
  ) async throws -> Data {
    let document = Lock(Data())
    try await exportJSON(query, as: format, mapping: mapping) { chunk in
      document.withLock { $0.append(chunk) }
    }
    return document.withLock { $0 }
  }

  /// Writes a query's entities into a file, completely or not at all.
  ///
  /// It works like ``exportJSON(_:as:mapping:to:)``. If it fails, the file stays as it was.
  ///
  /// - Parameters:
  ///   - query: the query of the entities to write.
  ///   - format: the form of the document.
  ///   - mapping: the mapping of attributes to members, as for an import.
  ///   - url: the file, which is replaced when all of it is written.
  ///   - progress: called after every chunk with the number of bytes written.
  /// - Throws: also the errors of the file system.
  @discardableResult
  @concurrent
  public func exportJSON<E: Entity>(
    _ query: Query<E>, as format: JSONFormat = .array, mapping: JSONMapping<E> = .automatic,
    toFile url: URL, progress: (@Sendable (_ bytes: Int) -> Void)? = nil
  ) async throws -> Int {
    let part = url.appendingPathExtension("\(UUID().uuidString).part")
    try Data().write(to: part)
    do {
      let file = try FileHandle(forWritingTo: part)
      defer { try? file.close() }
      let count = try await exportJSON(query, as: format, mapping: mapping) { chunk in
        try file.write(contentsOf: chunk)
        progress?(Int(try file.offset()))
      }
      try file.synchronize()
      guard rename(part.path, url.path) == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
      }
      return count
    } catch {
      try? FileManager.default.removeItem(at: part)
      throw error
    }
  }
}

/// The bytes of an export that were made and not passed to `write`.
private struct ExportPage: Sendable {
  static let limit = 64 * 1024

  var writer = JSONWriter()
  /// The number of entities written, including the pages before.
  var count = 0
}

/// The text of a format around its records.
private struct JSONFrame: Sendable {
  var start = ""
  var separator = ""
  var terminator = ""
  var end = ""

  init(_ format: JSONFormat) {
    switch format.layout {
    case .array: (start, separator, end) = ("[\n", ",\n", "\n]\n")
    case .lines: terminator = "\n"
    case .arrayAt(let path), .membersAt(let path):
      var opening = JSONWriter()
      for key in path {
        opening.append(mark: "{")
        opening.append(key)
        opening.append(mark: ":")
      }
      let (first, last) = format.hasMembers ? ("{", "}") : ("[", "]")
      start = String(decoding: opening.bytes, as: UTF8.self) + "\(first)\n"
      (separator, end) = (",\n", "\n\(last)" + String(repeating: "}", count: path.count) + "\n")
    }
  }
}
