import Strata
import StrataImport

/// The notes of the parts of a history that run at once.
///
/// The order of the commits is not known before the end. So the parts only take notes, and
/// `TranscriptCheck` compares the notes with plain rows once everything is at rest.
struct Transcript: Sendable {
  /// Something that changes rows in one commit.
  enum Write: Sendable {
    case save(PlainLayer, PlainPolicy)
    /// An import of the attribute `first` of some books.
    case importOfBooks([Int: Int])
  }

  struct WriteNote: Sendable {
    enum End: Sendable, Equatable {
      case commit(Int64)
      case refused(StoreError.Code)
      /// A file operation failed. There may be a commit.
      case failed
    }

    let author: String
    let write: Write
    /// The newest commit that the author's stack had reported when the write began.
    let earliest: Int64
    let end: End
    /// The number of the view context's save.
    let save: Int?
  }

  /// Reads of one snapshot.
  struct ReadNote: Sendable {
    struct Row: Sendable {
      let table: PlainTable
      let key: Int
      let found: PlainRow?
      /// The unsaved edit of the reader.
      let edit: PlainEdit?
    }

    let reader: String
    /// The newest commit that the reader's stack had reported before the first read.
    let earliest: Int64
    var rows: [Row] = []
  }

  /// The screen of a view context in one turn.
  struct ScreenNote: Sendable {
    let commit: Int64
    /// The unsaved layers, the lowest first. There are two possibilities while the outcome of a
    /// save is not known.
    let layers: [[PlainLayer]]
    let contents: ScreenContents
    /// The conflicts that the view context lists; nil while a save is under way.
    let conflicts: [String]?
    /// Whether a save has failed, which may have told of rows of later commits.
    let knowsLater: Bool
    /// The number of the save that is under way.
    let saving: Int?
    let isAtRest: Bool
  }

  /// The books that a consumer of changes has after a commit.
  struct CopyNote: Sendable {
    let commit: Int64
    let books: [Int: PlainRow]
  }

  var writes: [WriteNote] = []
  var reads: [ReadNote] = []
  var screens: [ScreenNote] = []
  var copies: [CopyNote] = []
  /// The newest commit that each stack has reported.
  var reported: [Int64] = [0, 0]
  /// The number of suspensions of each stack. A suspension releases the snapshots of contexts.
  var suspensions = [0, 0]
}

/// The steps of a history in words, which are there whatever becomes of it.
final class StepLog: Sendable {
  private let state = Lock<[String]>([])

  var steps: [String] { state.withLock { $0 } }

  func add(_ step: String) { state.withLock { $0.append(step) } }
}

/// The transcript of a history, which all its parts write.
final class SharedTranscript: Sendable {
  private let state = Lock(Transcript())
  let disk: RaceDisk
  private let log: StepLog

  init(_ disk: RaceDisk, _ log: StepLog) {
    self.disk = disk
    self.log = log
  }

  func callAsFunction<R: Sendable>(_ body: (inout Transcript) -> R) -> R {
    state.withLock { body(&$0) }
  }

  func step(_ text: String) { log.add(text) }

  /// The newest commit that a stack has reported.
  func reported(by stack: Int) -> Int64 { state.withLock { $0.reported[stack] } }

  func didReport(_ commit: Int64, by stack: Int) {
    let newest = state.withLock { state in
      state.reported[stack] = max(state.reported[stack], commit)
      return state.reported.max() ?? 0
    }
    disk.acknowledge(newest)
  }
}

extension SharedTranscript {
  /// Notes how a write ends.
  ///
  /// - Parameters:
  ///   - stack: the number of the author's stack.
  ///   - save: the number of the view context's save.
  ///   - body: the write, which returns its commit.
  nonisolated(nonsending) func noting(
    _ write: Transcript.Write, by author: String, _ stack: Int, save: Int? = nil,
    _ body: () async throws -> Int64
  ) async throws -> Transcript.WriteNote.End {
    let earliest = reported(by: stack)
    let end: Transcript.WriteNote.End
    do {
      let commit = try await body()
      didReport(commit, by: stack)
      end = .commit(commit)
    } catch {
      guard let code = Self.storeError(error)?.code else { throw error }
      let isOrdinary = PlainRows.Outcome.codes.contains(code) || code == .cancelled
      end = isOrdinary ? .refused(code) : .failed
      if !isOrdinary { try tolerate(error) }
    }
    step("\(author): \(end)")
    self {
      $0.writes.append(
        .init(author: author, write: write, earliest: earliest, end: end, save: save))
    }
    return end
  }

  /// Throws an error again unless the disk is to blame.
  func tolerate(_ error: any Error) throws {
    switch disk.trouble {
    case .none, .powerLoss: throw error
    case .faults, .kill:
      guard let error = Self.storeError(error) else { throw error }
      step("failed: \(error.code)")
    }
  }

  private static func storeError(_ error: any Error) -> StoreError? {
    error as? StoreError ?? (error as? ImportError)?.storeError
  }
}

/// A state or an outcome that contradicts the plain rows.
struct Contradiction: Error, CustomStringConvertible {
  let description: String

  static func unless(
    _ condition: Bool, _ text: @autoclosure () -> String
  ) throws(Contradiction) {
    if !condition { throw Contradiction(description: text()) }
  }
}
