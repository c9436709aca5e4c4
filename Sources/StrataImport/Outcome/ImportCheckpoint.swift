/// A position at which an interrupted import of JSON lines can go on.
///
/// All records before it are in the store. Keep the checkpoint anywhere, and pass it to
/// ``ImportOptions/checkpoint`` with the same input.
///
/// ```swift
/// let monitor = ImportMonitor()
/// var options = ImportOptions()
/// do {
///   try await stack.importJSON(
///     Song.self, from: file, as: .lines, mapping: Song.json, options: options, monitor: monitor)
/// } catch is ImportError {
///   options.checkpoint = monitor.progress.checkpoint  // goes on from here the next time
/// }
/// ```
public struct ImportCheckpoint: Sendable, Hashable, Codable {
  /// The number of bytes up to the end of the last committed record.
  public let offset: Int
  /// The number of records up to there, including refused records.
  public let records: Int
  /// The number of line feeds up to there.
  let lines: Int

  init(offset: Int, records: Int, lines: Int) {
    self.offset = offset
    self.records = records
    self.lines = lines
  }

  /// Decodes a checkpoint.
  ///
  /// - Throws: `DecodingError` for numbers that no import can reach.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    offset = try container.decode(Int.self, forKey: .offset)
    records = try container.decode(Int.self, forKey: .records)
    lines = try container.decode(Int.self, forKey: .lines)
    // Every record and every line has at least a byte. An import adds to these numbers, so the
    // bound leaves room.
    guard (0...Int.max / 2).contains(offset), (0...offset).contains(records),
      (0...offset).contains(lines)
    else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "no import ends at byte \(offset), record \(records), line \(lines)"))
    }
  }
}
