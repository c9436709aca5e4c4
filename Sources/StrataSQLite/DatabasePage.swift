/// A page of a database file, read without SQLite.
package struct DatabasePage {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes in front of the first page's content.
  package static let headerSize = 100

  /// The largest size of a page.
  package static let largest = 65536

  /// Returns the size of a page, by the header of the file; 4096 if it is no database's.
  package static func size(_ header: [UInt8]) -> Int {
    let size = Int(header[16]) << 8 | Int(header[17])
    if size == 1 { return largest }
    return size >= 512 && size & (size - 1) == 0 ? size : 4096
  }

  /// Returns the application id, by the header of the file.
  package static func application(_ header: [UInt8]) -> Int64 {
    Int64(Int32(bitPattern: header.word(68)))
  }

  /// Returns whether the second page says where other pages belong, by the header of the file.
  package static func isAutoVacuumed(_ header: [UInt8]) -> Bool { header.word(52) != 0 }

  /// Returns the user version, by the header of the file.
  package static func userVersion(_ header: [UInt8]) -> Int64 {
    Int64(Int32(bitPattern: header.word(60)))
  }

  private static let magic = Array("SQLite format 3\0".utf8)

  /// Returns whether a first page begins as that of every database does.
  package static func isDatabase(_ page: [UInt8]) -> Bool { page.starts(with: magic) }

  /// Returns whether the database is read with a write-ahead log.
  static func hasLog(_ page: [UInt8]) -> Bool { page[18] == 2 }

  /// Returns the number of transactions that have changed the first page, a little less than all.
  static func changeCounter(_ page: [UInt8]) -> UInt32 { page.word(24) }

  /// Returns the number of pages, by the first page; nil if an early version of SQLite wrote it.
  static func pageCount(_ page: [UInt8]) -> UInt32? {
    page.word(92) == changeCounter(page) ? page.word(28) : nil
  }

  /// Returns the number of changes of the schema.
  static func schemaVersion(_ page: [UInt8]) -> UInt32 { page.word(40) }

  /// Returns whether the first page has neither a table nor a program's numbers.
  static func isEmpty(_ page: [UInt8]) -> Bool {
    page[103] == 0 && page[104] == 0 && application(page) == 0 && userVersion(page) == 0
  }

  /// The only row of a table.
  package struct Row {
    /// The values; a value that is no text is an empty text.
    package var texts: [String] = []
    /// The row's bytes.
    package let bytes: ArraySlice<UInt8>
  }

  /// Returns the table's only row; nil if the page is not a table's with one row, or if it was
  /// written in part.
  package func onlyRow() -> Row? {
    // A leaf of a table has the type 13, the number of rows at 3, and the place of the row at 8.
    guard bytes.count >= 512, bytes[0] == 13, bytes[3] == 0, bytes[4] == 1 else { return nil }
    var position = Int(bytes[8]) << 8 | Int(bytes[9])
    guard let length = number(&position), number(&position) == 1,
      position + length <= bytes.count
    else { return nil }
    var row = Row(bytes: bytes[position..<position + length])
    let start = position
    guard let headerSize = number(&position), headerSize <= length else { return nil }
    var sizes: [(isText: Bool, size: Int)] = []
    while position < start + headerSize {
      guard let type = number(&position) else { return nil }
      sizes.append((type >= 13 && type % 2 == 1, Self.size(ofType: type)))
    }
    guard position == start + headerSize,
      sizes.reduce(headerSize, { $0 + $1.size }) == length
    else { return nil }
    for (isText, size) in sizes {
      let text = isText ? String(decoding: bytes[position..<position + size], as: UTF8.self) : ""
      row.texts.append(text)
      position += size
    }
    return row
  }

  /// Reads a number of variable length.
  private func number(_ position: inout Int) -> Int? {
    var value = 0
    for count in 1...9 {
      guard position < bytes.count else { return nil }
      let byte = Int(bytes[position])
      position += 1
      if count == 9 { return nil }
      value = value << 7 | byte & 0x7F
      if byte < 0x80 { return value }
    }
    return nil
  }

  private static func size(ofType type: Int) -> Int {
    switch type {
    case 0...4: type
    case 5: 6
    case 6, 7: 8
    case 8...11: 0
    default: (type - 12) / 2
    }
  }
}
