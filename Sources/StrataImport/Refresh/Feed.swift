public import Strata

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Records of a server that the store has a copy of: their address and their mapping.
///
/// ```swift
/// var songs = Feed(
///   "songs", Song.self, from: URLRequest(url: url), mapping: Song.json, absent: .delete)
/// songs.paging = .linkHeader
/// ```
public struct Feed: Sendable {
  typealias Preparation =
    @Sendable (Feed, ScratchContext, FeedClaim, ImportMonitor) throws(ImportError) -> PreparedImport

  /// The name that identifies the feed.
  ///
  /// Calls for feeds of one name share a request. The store keeps the feed's freshness, as
  /// `CacheEntry.feed(name)`, and its validators by the name. The feeds of two albums, or of two
  /// users in one store, need two names.
  public let name: String
  /// The request for the first page.
  public var request: URLRequest
  /// The rule by which the page after a page is found.
  public var paging = Paging.one
  /// Whether no row moves between pages while they are read, as with pages that follow a cursor.
  ///
  /// If it is false, an import of several pages deletes absent rows only if every page has an
  /// `ETag`.
  public var hasSteadyPages = false
  /// Whether an answer with status 204 or 205 means that the feed has no records.
  ///
  /// If it is false, such an answer is an ``HTTPStatusError``.
  public var expectsNoContent = false
  /// The entries that an import marks as imported besides the feed itself.
  public var marksFresh: [CacheEntry] = []
  /// The options of the import.
  ///
  /// Pages are read one after the other, whatever ``ImportOptions/workers`` is. A feed with a
  /// checkpoint fails with code `invalidMapping`.
  public var options = ImportOptions()

  let absent: AbsentRows
  /// Whether the body is JSON lines, which have no end mark.
  let isLines: Bool
  /// The format and the mapping as text. If it changes, the records are requested again.
  let mapping: String
  let prepare: Preparation

  /// Creates a feed of an entity's records.
  public init<E: Entity>(
    _ name: String, _ type: E.Type, from request: URLRequest, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic, absent: AbsentRows = .keep
  ) {
    self.name = name
    self.request = request
    self.absent = absent
    isLines = format == .lines
    self.mapping = "\(format) \(mapping.definition.text)"
    prepare = { feed, scratch, claim, monitor throws(ImportError) in
      guard feed.paging.members.isEmpty else {
        throw .mapping("only a JSONDocument has the links that its pages are found by")
      }
      return try feed.checked(
        PreparedImport(
          scratch, type, format, mapping, absent, feed.entries, feed.options, monitor, claim))
    }
  }

  /// Creates a feed of documents with the records of several entities.
  public init(
    _ name: String, _ document: JSONDocument, from request: URLRequest, absent: AbsentRows = .keep
  ) {
    self.name = name
    self.request = request
    self.absent = absent
    isLines = document.isLines
    mapping = document.parts.map(\.text).joined(separator: "\n")
    prepare = { feed, scratch, claim, monitor throws(ImportError) in
      let document = document.keeping(feed.paging.members)
      return try feed.checked(
        PreparedImport(scratch, document, absent, feed.entries, feed.options, monitor, claim))
    }
  }

  private func checked(_ prepared: PreparedImport) throws(ImportError) -> PreparedImport {
    if paging.isPaged && prepared.hasPositionKeys { throw .positionKeys }
    return prepared
  }

  /// The cache entry of the feed.
  var entry: CacheEntry { .feed(name) }

  /// All entries that an import of the feed brings up to date.
  var entries: [CacheEntry] { [entry] + marksFresh }

  /// Whether absent rows are deleted, so that the whole feed must be read.
  var isReadWhole: Bool { if case .keep = absent.rule { false } else { true } }
}
