/// Where an import of JSON lines can go on.
///
/// Everything before is in the store. Keep it wherever you like, and give it to
/// ``ImportOptions/checkpoint`` with the same input.
public struct ImportCheckpoint: Sendable, Hashable, Codable {
  /// The bytes up to the end of the last committed record.
  public let offset: Int
  /// The records up to there, refused ones included.
  public let records: Int
  /// The line feeds up to there.
  let lines: Int

  init(offset: Int, records: Int, lines: Int) {
    self.offset = offset
    self.records = records
    self.lines = lines
  }

  /// Reads what was encoded.
  ///
  /// - Throws: `DecodingError` for numbers that no import has come to.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    offset = try container.decode(Int.self, forKey: .offset)
    records = try container.decode(Int.self, forKey: .records)
    lines = try container.decode(Int.self, forKey: .lines)
    // Every record and every line has a byte, and an import goes on counting from here.
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
