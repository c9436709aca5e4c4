public import Foundation

/// An error of a stack, a context or the store.
///
/// ``code`` is for programs, ``message`` describes the problem, and ``advice`` suggests a remedy.
/// An error that SQLite reported also carries its extended result code and the SQL, without bound
/// values.
///
/// ```swift
/// do {
///   try await view.save()
/// } catch StoreError.Code.diskFull {
///   print("Free some space and save again.")
/// } catch let error as StoreError {
///   print(error.message, error.advice)
/// }
/// ```
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of an error.
  ///
  /// Compare it with the constants. Later versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The code of the bridged `NSError`. A number is never given to another code.
    let number: Int

    private init(_ number: Int, _ description: String) {
      self.number = number
      self.description = description
    }

    /// Returns whether an error is a ``StoreError`` with this code.
    ///
    /// It makes the codes patterns:
    ///
    /// ```swift
    /// do { try await view.save() } catch StoreError.Code.conflict { showConflicts() }
    /// ```
    public static func ~= (code: Code, error: any Error) -> Bool {
      (error as? StoreError)?.code == code
    }

    /// The file is not a database, or is damaged.
    public static let notADatabase = Code(1, "notADatabase")
    /// The file or its folder cannot be opened, created or written.
    public static let cannotOpen = Code(2, "cannotOpen")
    /// The store was written with a newer schema version or a newer format than this program's.
    public static let newerStore = Code(3, "newerStore")
    /// The store's tables differ from the tables of the model.
    public static let schemaMismatch = Code(4, "schemaMismatch")
    /// A migration step or a conversion failed, and the store is unchanged.
    public static let migrationFailed = Code(5, "migrationFailed")
    /// The tables changed while the stack was open, because of another program.
    public static let schemaChanged = Code(6, "schemaChanged")
    /// The entities given to the stack contradict each other or themselves.
    public static let invalidSchema = Code(7, "invalidSchema")
    /// The program's SQLite has no full-text index or no spatial index.
    public static let missingModule = Code(8, "missingModule")
    /// The disk is full.
    public static let diskFull = Code(9, "diskFull")
    /// The store stayed locked by another process for longer than the busy timeout.
    public static let busy = Code(10, "busy")
    /// The system could not read or write the file.
    public static let inputOutput = Code(11, "inputOutput")
    /// SQLite could not get the memory that it asked for.
    public static let outOfMemory = Code(12, "outOfMemory")
    /// An attribute's value cannot be stored or read.
    public static let invalidValue = Code(13, "invalidValue")
    /// Two entities have the same value of a unique attribute.
    public static let uniquenessViolated = Code(14, "uniquenessViolated")
    /// A required reference points to a missing row.
    public static let missingReference = Code(15, "missingReference")
    /// A delete rule forbids the deletion.
    public static let deleteDenied = Code(16, "deleteDenied")
    /// Values break rules of the schema; see ``StoreError/failures``.
    public static let validationFailed = Code(17, "validationFailed")
    /// A save edits a stored row that is neither as it was before the edit nor as it is after it.
    public static let conflict = Code(18, "conflict")
    /// A query cannot be run; see the message.
    public static let invalidQuery = Code(19, "invalidQuery")
    /// The history no longer has all changes since a token, or never recorded them all.
    public static let historyExpired = Code(20, "historyExpired")
    /// A history token belongs to another store.
    public static let wrongStore = Code(21, "wrongStore")
    /// The stack is closed.
    public static let closed = Code(22, "closed")
    /// The stack was suspended during work that depends on an unchanging state of the store.
    public static let suspended = Code(23, "suspended")
    /// The store's file was removed, moved or replaced while the stack was open or suspended.
    ///
    /// A save that throws it has written nothing, and the context keeps its edits.
    public static let replaced = Code(24, "replaced")
    /// The calling task was cancelled before the work began, or while a fetch ran.
    ///
    /// Within ``withStoreDeadline(in:_:)``, a call that can throw this error can also throw
    /// ``deadlineExceeded``.
    public static let cancelled = Code(25, "cancelled")
    /// The deadline of ``withStoreDeadline(in:_:)`` has passed.
    public static let deadlineExceeded = Code(26, "deadlineExceeded")
    /// A raw statement would do more than read.
    public static let writeRefused = Code(27, "writeRefused")
    /// SQLite reported another error.
    ///
    /// See ``StoreError/sqliteCode``.
    public static let sqlite = Code(28, "sqlite")
    /// A replica pushes the store's edits, so the store has no outbox of its own.
    public static let replicated = Code(29, "replicated")
    /// The stack only reads its store, or the rows follow a server and the replica is read-only.
    public static let readOnly = Code(30, "readOnly")
    /// A push was begun while the same task sends a request of another push, which it would wait for.
    public static let nestedPush = Code(31, "nestedPush")
    /// A file is at the place that a copy of a store is to get, and copies replace no file.
    public static let fileExists = Code(32, "fileExists")
  }

  /// The kind of the error.
  public let code: Code
  /// The description of the problem.
  ///
  /// Several differences between a store and the schemas are a line each, with the remedy.
  public let message: String
  /// The suggested remedy.
  public let advice: String
  /// The entity concerned; nil if no entity is concerned.
  public package(set) var entity: String?
  /// The attributes concerned.
  public package(set) var attributes: [String] = []
  /// The keys concerned.
  ///
  /// For a uniqueness violation, the key of the new row comes first, then the key of the existing
  /// row.
  public package(set) var keys: [RecordKey] = []
  /// The conflicts with the values of each side, for ``Code/conflict``.
  public package(set) var conflicts: [Conflict] = []
  /// The first thousand failures, for ``Code/validationFailed``.
  public package(set) var failures: [ValidationFailure] = []
  /// The number of all failures, for ``Code/validationFailed``.
  public package(set) var failureCount = 0
  /// SQLite's extended result code.
  public package(set) var sqliteCode: Int32?
  /// The SQL that failed, without bound values.
  public package(set) var sql: String?

  init(
    _ code: Code, _ message: String, advice: String, entity: String? = nil,
    attributes: [String] = [], keys: [RecordKey] = []
  ) {
    self.code = code
    self.message = message
    self.advice = advice
    self.entity = entity
    self.attributes = attributes
    self.keys = keys
  }

  public var description: String {
    "\(code): \(message)\(message.contains("\n") ? "\n" : "; ")\(advice)"
      + (sqliteCode.map { " (SQLite \($0))" } ?? "") + (sql.map { "; SQL: \($0)" } ?? "")
  }
}

/// An alert shows ``message``, and suggests ``advice``.
extension StoreError: LocalizedError, CustomNSError {
  public var errorDescription: String? { message }
  public var recoverySuggestion: String? { advice }
  public var errorUserInfo: [String: Any] { userInfo }
  /// The domain of the bridged `NSError`.
  public static var errorDomain: String { "StrataStoreError" }
  /// A number for each ``Code``.
  public var errorCode: Int { code.number }
}

extension StoreError {
  static var closed: StoreError {
    StoreError(.closed, "the stack is closed", advice: "open it again")
  }

  static var readOnlyStack: StoreError {
    StoreError(
      .readOnly, "the stack only reads the store",
      advice: "write with a stack whose Stack.Options.access is .readWrite")
  }

  static var nestedPush: StoreError {
    StoreError(
      .nestedPush, "the push would wait for the request that its own task is sending",
      advice: "push again when the first push has returned")
  }

  static var suspended: StoreError {
    StoreError(
      .suspended, "the stack was suspended, and the state that was read is gone",
      advice: "run it again")
  }

  static var cancelled: StoreError {
    StoreError(.cancelled, "the task was cancelled", advice: "nothing was changed; run it again")
  }

  package static var deadlineExceeded: StoreError {
    StoreError(
      .deadlineExceeded, "the deadline has passed",
      advice: "nothing was changed; give it more time, or ask for less")
  }

  package static func query(_ message: String, entity: String) -> StoreError {
    StoreError(.invalidQuery, message, advice: "change the query", entity: entity)
  }
}

/// Returns the end of a message that names only the first of several items.
func more(_ count: Int, _ noun: String) -> String {
  switch count {
  case 0: ""
  case 1: ", and 1 more \(noun)"
  default: ", and \(count) more \(noun)s"
  }
}
