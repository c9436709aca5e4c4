internal import Foundation

/// The contents of a write-ahead log as they lie on the disk, read without SQLite.
///
/// SQLite keeps no lock on the log's file, so a file descriptor of our own does no harm.
package struct LogFile {
  /// Whether the log has a transaction that is to be read with the database file.
  package private(set) var hasCommits = false
  /// The newest committed versions of the pages that were asked for, as far as the log has them.
  package private(set) var pages: [UInt32: [UInt8]] = [:]

  private static let headerSize = 32
  private static let format: UInt32 = 3_007_000

  /// Reads the frames up to the last commit.
  ///
  /// The checksums of frames are not computed. A frame whose salts are not the log's ends the log.
  ///
  /// - Parameter numbers: the numbers of some pages.
  /// - Returns: nil if there is no log, or none that SQLite would read.
  /// - Complexity: O(n) calls to the system for n frames.
  package init?(path: String, pages numbers: Set<UInt32>) {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let header = file.bytes(Self.headerSize, at: 0), header.word(0) & ~1 == 0x377f_0682,
      header.word(4) == Self.format
    else { return nil }
    let size = Int(header.word(8))
    guard (512...DatabasePage.largest).contains(size), size & (size - 1) == 0 else { return nil }
    var position = UInt64(Self.headerSize)
    var found: [UInt32: UInt64] = [:]
    var committed: [UInt32: UInt64] = [:]
    let step = UInt64(Connection.frameHeaderSize + size)
    while let frame = file.bytes(Connection.frameHeaderSize, at: position),
      frame[8..<16].elementsEqual(header[16..<24])
    {
      if numbers.contains(frame.word(0)) { found[frame.word(0)] = position }
      position += step
      if frame.word(4) == 0 { continue }
      hasCommits = true
      committed = found
    }
    for (number, position) in committed {
      pages[number] = file.bytes(size, at: position + UInt64(Connection.frameHeaderSize))
    }
  }
}

extension FileHandle {
  /// Reads bytes at a position; nil if the file ends before them.
  func bytes(_ count: Int, at position: UInt64) -> [UInt8]? {
    guard (try? seek(toOffset: position)) != nil, let data = try? read(upToCount: count),
      data.count == count
    else { return nil }
    return [UInt8](data)
  }
}

extension [UInt8] {
  /// The four bytes at a position as a number, the first byte being the highest.
  package func word(_ position: Int) -> UInt32 {
    self[position..<position + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
