/// The elements of a live query at one moment: a value that never changes.
///
/// Elements are decoded when they are read, and keeping a version costs a single reference. An
/// attribute that cannot be read has its default value here, while `fetch` reports it. Only another
/// program can write such an attribute.
///
/// ```swift
/// let shown = songs.elements  // stays as it is while songs goes on
/// print(shown.count, shown.first?.title ?? "", shown[id: id]?.title ?? "")
/// ```
public struct LiveElements<E: Entity>: RandomAccessCollection, Sendable {
  private let table: Table
  let shown: ShownRows

  init(_ shown: ShownRows, _ table: Table) {
    self.shown = shown
    self.table = table
  }

  /// Returns the elements in a range of offsets.
  func part(_ offsets: Range<Int>) -> LiveElements { LiveElements(shown.part(offsets), table) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { shown.range.count }

  /// The element at an offset. O(log *n*).
  public subscript(offset: Int) -> E { decode(shown.record(at: offset)) }

  /// The element with an id; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: E.ID) -> E? { id.recordKey.flatMap(shown.record).map(decode) }

  /// Returns the offset of the element with an id; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*).
  public func offset(of id: E.ID) -> Int? { id.recordKey.flatMap(shown.find)?.offset }

  private func decode(_ record: Record) -> E { table.decodeLeniently(record, as: E.self) }

  /// An iterator over the elements, leaf by leaf. O(1) for each element.
  public struct Iterator: IteratorProtocol {
    fileprivate let elements: LiveElements
    fileprivate var records: OrderTree.Iterator

    public mutating func next() -> E? { records.next().map(elements.decode) }
  }

  public func makeIterator() -> Iterator { Iterator(elements: self, records: shown.records) }
}
