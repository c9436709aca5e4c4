/// The limits of backlogs and of idle readers.
///
/// No bound changes a result. Stress runs set low bounds, so that the program exceeds them all the
/// time.
package struct StoreBounds: Sendable {
  /// The number of change sets that wait for a consumer before neighbours are composed.
  package var unread = 64
  /// The number of idle readers that stay open.
  package var idleReaders = 4
  /// The number of rows that may change while a live query loads, before it loads again instead.
  package var backlog = 10_000
  /// The number of a table's rows that one commit lists. Past it, the changes of the table are a
  /// reset.
  package var listedRows = 200_000
  /// The number of rows that an empty table gets from an import before its indexes are dropped.
  ///
  /// The indexes of a smaller table fit into SQLite's page cache.
  package var indexedRows = 10_000
  /// The number of rows that one commit of a deletion by a query deletes; nil if it adapts to the
  /// duration.
  package var deletedRows: Int?

  /// The number of rows past which a change of the view context is made elsewhere, and handed over to it.
  package var changedAtOnce = 500

  package init() {}
}
