public import Foundation
public import Strata

extension Stack {
  /// Writes a query's entities as the JSON that an import by the same mapping reads.
  ///
  /// All of them are of one commit, however long it takes, and in the query's order. In memory are
  /// a chunk of some 64 KiB and one record with what the mapping nests inside of it. An entity
  /// inside of another one is written where the mapping has it; without a mapping every attribute
  /// is written under its own name, references by their keys.
  ///
  /// What is written is read back as it was, or not written at all: an attribute without a field is
  /// left out, and a value that its field would not read as it is is an error. Two things are
  /// rounded: dates in seconds or milliseconds since 1970 to what such a number can say, and a
  /// reference to what does not exist, which reads as nil, to null where the mapping nests an
  /// object.
  ///
  /// As long as it runs, the write-ahead log keeps everything that is committed.
  ///
  /// ```swift
  /// try await stack.exportJSON(Song.all, as: .lines, mapping: Song.json) { chunk in
  ///   try await upload.send(chunk)
  /// }
  /// ```
  ///
  /// - Parameter write: takes the next bytes; nothing is read before it returns.
  /// - Returns: how many entities were written, without those inside of others.
  /// - Throws: what `write` throws; ``ImportError`` with code `invalidMapping` if the mapping
  ///   cannot be turned round; `StoreError` with code `invalidValue`, `invalidQuery`, `cancelled`,
  ///   `closed`, `suspended` if the stack is suspended meanwhile, or one of SQLite's;
  ///   `CancellationError`.
  /// - Complexity: O(*n*) of the entities, O(*n* log *n*) if no index has their order.
  @discardableResult
  @concurrent
  public func exportJSON<E: Entity>(
    _ query: Query<E>, as format: JSONFormat = .array, mapping: JSONMapping<E> = .automatic,
    to write: @Sendable (Data) async throws -> Void
  ) async throws -> Int {
    let entity = try EntityWriter(mapping.definition, in: store.model)
    let frame = JSONFrame(format)
    let rows = try await ExportRows(query, of: self)
    var page = ExportPage()
    page.writer.append(json: frame.start)
    while let next = try await rows.next(
      page,
      { page, record, relations throws(StoreError) in
        page.writer.append(json: page.count == 0 ? "" : frame.separator)
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

  /// The same, as one value in memory: for results that are small.
  ///
  /// ```swift
  /// let json = try await stack.exportJSON(Song.all.limit(20), mapping: Song.json)
  /// ```
  ///
  /// Everything that ``exportJSON(_:as:mapping:to:)`` says, but for the memory that it takes.
  ///
  /// - Returns: the whole document, in UTF-8.
  /// - Throws: ``ImportError``, `StoreError` and `CancellationError`, as that does.
  /// - Complexity: O(*n*) of the entities, in memory, too.
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

  /// Writes a query's entities into a file, which is there as a whole or stays as it was.
  ///
  /// Everything that ``exportJSON(_:as:mapping:to:)`` says.
  ///
  /// - Parameter progress: told after every chunk how many bytes are written.
  /// - Throws: also what the file system says.
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

/// What was written of an export and not handed on.
private struct ExportPage: Sendable {
  static let limit = 64 * 1024

  var writer = JSONWriter()
  /// The entities written, those of the pages before included.
  var count = 0
}

/// What a format has around records.
private struct JSONFrame: Sendable {
  var start = ""
  var separator = ""
  var terminator = ""
  var end = ""

  init(_ format: JSONFormat) {
    switch format.layout {
    case .array: (start, separator, end) = ("[\n", ",\n", "\n]\n")
    case .lines: terminator = "\n"
    case .arrayAt(let path):
      var opening = JSONWriter()
      for key in path {
        opening.append(mark: "{")
        opening.append(key)
        opening.append(mark: ":")
      }
      start = String(decoding: opening.bytes, as: UTF8.self) + "[\n"
      (separator, end) = (",\n", "\n]" + String(repeating: "}", count: path.count) + "\n")
    }
  }
}
