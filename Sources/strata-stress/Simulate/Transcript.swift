import Strata

/// The notes of the parts of a history that run at once.
///
/// The order of the commits is not known before the end. So the parts only take notes, and
/// `TranscriptCheck` compares the notes with plain rows once everything is at rest.
struct Transcript: Sendable {
  /// A change of rows in one commit.
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
    /// Whether the write may have been cancelled.
    let mayBeCancelled: Bool
    /// The number of the view context's save.
    let save: Int?
  }

  /// Reads of one snapshot.
  struct ReadNote: Sendable {
    struct Row: Sendable {
      let table: PlainTable
      let key: Int
      let found: PlainRow?
      /// The unsaved edits of the reader, and of its child.
      let edits: [PlainEdit]
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
  /// The newest commit that each process has reported: two that race, and one that opens the store
  /// after a kill.
  var reported: [Int64] = [0, 0, 0]
  /// The number of suspensions of each process's stack. A suspension releases the snapshots of
  /// contexts.
  var suspensions = [0, 0, 0]
}
