internal import Foundation

/// A rollback journal that SQLite would roll back into the file beside it, read without SQLite.
///
/// A journal has pages as they were before a transaction that may have changed the file, and the
/// number of pages that the file had. It does not name its file.
package struct RollbackJournal {
  /// The number of pages to which SQLite cuts the file; 0 if the transaction was the file's first.
  private let pageCount: UInt32
  private let pageSize: Int
  /// Whether SQLite would write any page into the file.
  private var hasPages = false
  /// The first page of the file before the transaction, if the transaction has changed it.
  private var firstPage: [UInt8]?

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private static let headerSize = 28

  /// Reads the journal at a path.
  ///
  /// - Returns: nil if there is no journal, or none that SQLite would roll back.
  /// - Complexity: O(n) calls to the system for n pages.
  package init?(path: String) {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let header = Self.header(file, at: 0) else { return nil }
    let (sector, size) = (Int(header.word(20)), Int(header.word(24)))
    guard Self.isPower(sector, of: 32...), Self.isPower(size, of: 512...) else { return nil }
    (pageCount, pageSize) = (header.word(16), size)
    readPages(file, sector: UInt64(sector))
  }

  private static func isPower(_ number: Int, of range: PartialRangeFrom<Int>) -> Bool {
    range.contains(number) && number <= DatabasePage.largest && number & (number - 1) == 0
  }

  private static func header(_ file: FileHandle, at position: UInt64) -> [UInt8]? {
    guard let header = file.bytes(headerSize, at: position), header.starts(with: magic) else {
      return nil
    }
    return header
  }

  private mutating func readPages(_ file: FileHandle, sector: UInt64) {
    let step = UInt64(pageSize + 8)
    let end = (try? file.seekToEnd()) ?? 0
    var position: UInt64 = 0
    while let header = Self.header(file, at: position) {
      position += sector
      // Without syncs, SQLite does not write the number of pages.
      let count =
        header.word(8) == .max ? end.subtracting(position) / step : UInt64(header.word(8))
      for _ in 0..<count {
        guard let number = file.bytes(4, at: position)?.word(0), number > 0 else { return }
        hasPages = true
        if number == 1, let page = file.bytes(pageSize, at: position + 4) {
          firstPage = page
          return
        }
        position += step
      }
      position = (position + sector - 1) / sector * sector
    }
  }

  // MARK: - Belonging

  /// Returns whether the file may need the journal, or is not changed by it.
  ///
  /// A transaction writes the first page of the file when it commits. The page has a counter of
  /// transactions, which is then greater by one. So the first page of the journal's file is that of the
  /// journal, or the next one.
  ///
  /// - Parameters:
  ///   - file: a file that no other connection changes meanwhile.
  ///   - size: the length of the file, in bytes.
  package func belongs(to file: DatabaseFile, size: Int64) throws(SQLiteError) -> Bool {
    // A journal with pages is not of an empty file. SQLite removes the journal of a new one.
    if size == 0 { return pageCount == 0 }
    let page = try file.bytes(max(pageSize, DatabasePage.headerSize), at: 0)
    if pageCount == 0 { return Self.isUnfinished(page, size: size) }
    let isLarge = size >= Int64(pageCount) * Int64(pageSize)
    if !hasPages { return size == Int64(pageCount) * Int64(pageSize) }
    guard let firstPage else {
      // The transaction has changed other pages, which SQLite has written before the commit.
      return isLarge && DatabasePage.isDatabase(page) && !DatabasePage.hasLog(page)
        && DatabasePage.size(page) == pageSize
        && DatabasePage.pageCount(page).map { $0 == pageCount } != false
    }
    return Self.mayBecome(page, from: firstPage, isLarge: isLarge)
  }

  /// Returns whether a file has nothing but the beginning of its first transaction.
  private static func isUnfinished(_ page: [UInt8], size: Int64) -> Bool {
    // The pages behind the first one may be written before it.
    if page.allSatisfy({ $0 == 0 }) { return true }
    guard DatabasePage.isDatabase(page) else { return false }
    if size < Int64(DatabasePage.headerSize) { return true }
    guard DatabasePage.changeCounter(page) <= 1 else { return false }
    let count = DatabasePage.pageCount(page) ?? 0
    if size < Int64(count) * Int64(DatabasePage.size(page)) { return true }
    // All pages of the transaction are there. Only without a table is nothing lost.
    return count <= 1 && DatabasePage.isEmpty(page)
  }

  /// Returns whether one transaction may make one first page of another.
  private static func mayBecome(
    _ page: [UInt8], from before: [UInt8], isLarge: Bool
  ) -> Bool {
    let changes = DatabasePage.changeCounter(page) &- DatabasePage.changeCounter(before)
    // An exclusive connection counts its first transaction alone.
    guard DatabasePage.isDatabase(page), changes <= 1 else { return false }
    let schemas = DatabasePage.schemaVersion(page) &- DatabasePage.schemaVersion(before)
    if schemas != 0 { return schemas < UInt32(Int32.max) }
    // The change of the journal mode is a transaction of its own.
    let isOfMode = DatabasePage.hasLog(page) != DatabasePage.hasLog(before)
    let fixed =
      isOfMode ? [0..<18, 20..<24, 32..<92] : [0..<24]
    return isLarge
      && (fixed + [DatabasePage.headerSize..<before.count]).allSatisfy { page[$0] == before[$0] }
  }
}

extension UInt64 {
  fileprivate func subtracting(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
