internal import StrataSQLite

/// The mark that ties a write-ahead log to its database file.
///
/// SQLite reads any log that lies beside a file, and so writes an old log over a backup that was put
/// in the file's place. So the row with the commit number, which every transaction writes, carries a
/// mark with a random session. Before the first transaction of a stack, a new session is written
/// back into the database file (`Writer.tieLog`). A copy that was made while the store was closed
/// has an older session. The log belongs to the file if both have the same session.
struct LogMark: Sendable, Hashable {
  /// The files as they were when the session began.
  struct Place: Sendable, Hashable {
    /// A file on a device that is not named, because devices get other numbers.
    struct File: Sendable, Hashable {
      let number: UInt64
      let birth: Int64

      init(_ id: FileStatus.ID) { (number, birth) = (id.number, id.birth) }
      init(number: UInt64, birth: Int64) { (self.number, self.birth) = (number, birth) }
    }

    let file: File
    /// The checksum of the row in the file. Every transaction changes this row, so a backup with the
    /// same row has the same contents.
    let row: UInt64
    let log: File
  }

  /// The number of the session.
  var session: UInt64
  /// The session before, which the database file has until the new session is written back.
  var previous: UInt64?
  /// A counter of transactions that write no number; without it, they would not write the page.
  var count = 0
  var place: Place?
  /// Whether the session is known to be in the file. From then on, a file with the session before is
  /// a copy that was put in the file's place.
  var isInFile = false
  /// Whether the row itself says that the session is in the file, for later openings.
  private(set) var isNoted = false

  /// The mark that says that the session is in the file.
  var noted: LogMark {
    var mark = self
    (mark.isInFile, mark.isNoted) = (true, true)
    return mark
  }

  /// Makes the mark of a session that begins now.
  ///
  /// - Parameter page: the page of the mark in the file, without the log.
  init(after previous: UInt64?, over page: [UInt8], at path: String) {
    session = .random(in: 1...UInt64(Int64.max))
    self.previous = previous
    guard let file = FileStatus(path), let log = FileStatus(path + "-wal") else { return }
    place = Place(file: .init(file.id), row: LogMark.checksum(ofRowIn: page), log: .init(log.id))
  }

  // MARK: - Text

  /// The numbers of the mark and a checksum, separated by spaces.
  ///
  /// A page may be written in part. The checksum tells half of a mark from a mark.
  var text: String {
    var words = [session, previous ?? 0, UInt64(count), isNoted ? 1 : 0].map(String.init)
    if let place {
      words += [
        "\(place.file.number)", "\(place.file.birth)", "\(place.row)", "\(place.log.number)",
        "\(place.log.birth)",
      ]
    }
    let numbers = words.joined(separator: " ")
    return numbers + " \(numbers.utf8.stableHash)"
  }

  init?(text: String) {
    guard let end = text.lastIndex(of: " "),
      text[text.index(after: end)...] == "\(text[..<end].utf8.stableHash)"
    else { return nil }
    let words = text[..<end].split(separator: " ")
    guard words.count == 4 || words.count == 9, let session = UInt64(words[0]), session != 0,
      let previous = UInt64(words[1]), let count = Int(words[2]), let noted = Int(words[3])
    else { return nil }
    (self.session, self.count) = (session, count)
    (isNoted, isInFile) = (noted == 1, noted == 1)
    self.previous = previous == 0 ? nil : previous
    guard words.count == 9 else { return }
    guard let file = UInt64(words[4]), let birth = Int64(words[5]), let row = UInt64(words[6]),
      let log = UInt64(words[7]), let logBirth = Int64(words[8])
    else { return nil }
    place = Place(
      file: .init(number: file, birth: birth), row: row,
      log: .init(number: log, birth: logBirth))
  }

  // MARK: - The page

  /// The pages that may be that of the table with the number and the mark, the first table that a store
  /// gets. In a file with `auto_vacuum`, the second page is SQLite's own.
  private static let numbers: Set<UInt32> = [2, 3]

  private static func number(isAutoVacuumed: Bool) -> UInt32 { isAutoVacuumed ? 3 : 2 }

  /// Returns the position of the page in a file, by the header of the file.
  static func position(_ header: [UInt8]) -> Int64 {
    Int64(number(isAutoVacuumed: DatabasePage.isAutoVacuumed(header)) - 1)
      * Int64(DatabasePage.size(header))
  }

  /// Reads the log at a path; nil if there is none, or none that SQLite would read.
  static func log(at path: String) -> LogFile? { LogFile(path: path, pages: numbers) }

  /// Reads the mark of a log; nil if its transactions have none.
  init?(of log: LogFile) {
    let marks = Self.numbers.sorted().compactMap { log.pages[$0].flatMap(LogMark.init(page:)) }
    guard let mark = marks.first else { return nil }
    self = mark
  }

  private static let rootPage = SQL(
    "SELECT rootpage FROM sqlite_schema WHERE name = 'strata_commit'")

  /// Whether the mark can be read from the pages of the file.
  static func isReadable(_ connection: Connection) throws(StoreError) -> Bool {
    let isAutoVacuumed = try connection.prepared("PRAGMA auto_vacuum").firstInteger() != 0
    return try connection.prepared(rootPage).firstInteger()
      == Int64(number(isAutoVacuumed: isAutoVacuumed))
  }

  /// The session that a database file has without its log.
  enum Stored: Equatable {
    case session(UInt64)
    /// The page is damaged or was written in part, so that only the log has it whole.
    case unreadable
    /// The file is empty, another program's, or of a format without marks.
    case none
  }

  /// Returns the session that the file of a connection has without its log.
  static func stored(inFileOf connection: Connection) throws(StoreError) -> Stored {
    let (header, page) = try pages(inFileOf: connection)
    return stored(header, page)
  }

  /// Returns the header and the page of the mark that the file of a connection has without its log.
  static func pages(
    inFileOf connection: Connection
  ) throws(StoreError) -> (header: [UInt8], page: [UInt8]) {
    try translatingErrors { () throws(SQLiteError) in
      let header = try connection.bytesOfFile(DatabasePage.headerSize, at: 0)
      let size = DatabasePage.size(header)
      return (header, try connection.bytesOfFile(size, at: position(header)))
    }
  }

  /// Returns the session in the header of a file and the bytes of the mark's page.
  static func stored(_ header: [UInt8], _ page: [UInt8]) -> Stored {
    if !hasMark(header) { return .none }
    return LogMark(page: page).map { .session($0.session) } ?? .unreadable
  }

  fileprivate static func hasMark(_ header: [UInt8]) -> Bool {
    DatabasePage.application(header) == StoreFormat.applicationID
      && DatabasePage.userVersion(header) >= StoreFormat.version
  }

  /// Returns whether the file of a connection has the session of this mark, or the session before.
  func isTied(toFileOf connection: Connection, at path: String) throws(StoreError) -> Bool {
    allows(try Self.stored(inFileOf: connection), inFileAt: path)
  }

  /// Returns whether the file of the log may have a session.
  func allows(_ stored: Stored, inFileAt path: String) -> Bool {
    switch stored {
    case .session(let number): number == session || !isInFile && number == previous
    case .unreadable: true
    // The tables of a new store are in its log until the first write-back.
    case .none:
      !isInFile && previous == nil && (FileStatus(path)?.size ?? 0) <= DatabasePage.largest
    }
  }

  /// Reads the mark from the bytes of its page; nil if they are another page's.
  init?(page: [UInt8]) {
    guard let text = Self.text(ofPage: page) else { return nil }
    self.init(text: text)
  }

  fileprivate static func text(ofPage page: [UInt8]) -> String? {
    guard let texts = DatabasePage(page).onlyRow()?.texts, texts.count == 2 else { return nil }
    return texts[1]
  }

  /// Returns a checksum of the row with the number and the mark.
  static func checksum(ofRowIn page: [UInt8]) -> UInt64 {
    (DatabasePage(page).onlyRow()?.bytes ?? []).stableHash
  }
}

/// A reader of the mark in a file, which parses each text of a mark once.
///
/// Every commit reads the mark, and only a write-back changes it.
struct FileMark {
  private var text: String?
  private var mark: LogMark?

  /// Returns the session that the file of a connection has without its log.
  mutating func stored(inFileOf connection: Connection) throws(StoreError) -> LogMark.Stored {
    let (header, page) = try LogMark.pages(inFileOf: connection)
    if !LogMark.hasMark(header) { return .none }
    guard let text = LogMark.text(ofPage: page) else { return .unreadable }
    if text != self.text { (self.text, mark) = (text, LogMark(text: text)) }
    return mark.map { .session($0.session) } ?? .unreadable
  }
}
