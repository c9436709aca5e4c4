public import Strata

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Something of a server that the store has a copy of: where it is, and what its records become.
///
/// ```swift
/// var songs = Feed(
///   "songs", Song.self, from: URLRequest(url: url), mapping: Song.json, absent: .delete)
/// songs.paging = .linkHeader
/// ```
public struct Feed: Sendable {
  typealias Preparation =
    @Sendable (Feed, ScratchContext, FeedClaim, ImportMonitor) throws(ImportError) -> PreparedImport

  /// What it is known by: to callers who want the same at once, and in the store, as
  /// `CacheEntry.feed(name)` and for what the server said of its version.
  ///
  /// The feeds of two albums, or of two users in one store, need two names.
  public let name: String
  /// The request for its first page.
  public var request: URLRequest
  /// How the page after a page is found.
  public var paging = Paging.one
  /// Whether the pages are steady although the server says no versions of them: no row moves from one
  /// page to another while they are read, as with pages by a cursor.
  ///
  /// Otherwise nothing is deleted as absent from a feed of several pages of which one has no `ETag`.
  public var hasSteadyPages = false
  /// Whether an answer with status 204 or 205 says that there are no records. Otherwise it is an
  /// ``HTTPStatusError``.
  public var expectsNoContent = false
  /// What is marked as imported besides the feed itself.
  public var freshens: [CacheEntry] = []
  /// How its records become visible, and what happens to those that are refused. Pages are read one
  /// after the other, whatever ``ImportOptions/workers`` says, and there is no checkpoint.
  public var options = ImportOptions()

  let absent: AbsentRows
  /// Whether the body has one record a line, and so no end of its own.
  let isLines: Bool
  /// Its format and mapping in words: records of another mapping are to be asked for again.
  let mapping: String
  let prepare: Preparation

  /// A feed of one entity's records.
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

  /// A feed of documents with the records of several entities.
  public init(
    _ name: String, _ document: JSONDocument, from request: URLRequest, absent: AbsentRows = .keep
  ) {
    self.name = name
    self.request = request
    self.absent = absent
    isLines = false
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

  /// The feed as the store knows it.
  var entry: CacheEntry { .feed(name) }

  /// Everything that importing it brings up to date.
  var entries: [CacheEntry] { [entry] + freshens }

  /// Whether rows are deleted that the feed does not have, so that all of it must be read.
  var isReadWhole: Bool { if case .keep = absent.rule { false } else { true } }
}
