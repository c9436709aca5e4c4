import Strata

/// What the parts of a history that run at once did and saw.
///
/// Nobody knows the order of the commits before the end. So the parts only take notes, and
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
    }

    let author: String
    let write: Write
    /// The newest commit that the author's stack had reported when the write began.
    let earliest: Int64
    let end: End
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

  /// What a view context showed in one turn.
  struct ScreenNote: Sendable {
    let commit: Int64
    /// The unsaved layers, the lowest first. There are two possibilities while the outcome of a
    /// save is not known.
    let layers: [[PlainLayer]]
    let contents: ScreenContents
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
  /// The steps in words.
  var steps: [String] = []
}

/// The transcript of a history, which all its parts write.
final class SharedTranscript: Sendable {
  private let state = Lock(Transcript())

  func callAsFunction<R: Sendable>(_ body: (inout Transcript) -> R) -> R {
    state.withLock { body(&$0) }
  }

  func step(_ text: @autoclosure () -> String) {
    let text = text()
    state.withLock { $0.steps.append(text) }
  }

  /// The newest commit that a stack has reported.
  func reported(by stack: Int) -> Int64 { state.withLock { $0.reported[stack] } }

  func didReport(_ commit: Int64, by stack: Int) {
    state.withLock { $0.reported[stack] = max($0.reported[stack], commit) }
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
