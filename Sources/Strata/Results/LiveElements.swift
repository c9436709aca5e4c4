/// The elements of a live query at one moment: a value that never changes.
///
/// Elements are decoded when they are read; keeping a version costs one reference. An attribute
/// that cannot be read, which only another program can cause, has its default value here, while
/// `fetch` reports it.
public struct LiveElements<E: Entity>: RandomAccessCollection, Sendable {
  private let table: Table
  let shown: ShownRows

  init(_ shown: ShownRows, _ table: Table) {
    self.shown = shown
    self.table = table
  }

  /// Some of the elements.
  func part(_ offsets: Range<Int>) -> LiveElements { LiveElements(shown.part(offsets), table) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { shown.range.count }

  /// The element at an offset. O(log *n*).
  public subscript(offset: Int) -> E { decode(shown.record(at: offset)) }

  /// The element with an id; nil if it is not among them.
  ///
  /// - Complexity: O(log *n*).
  public subscript(id id: E.ID) -> E? { id.recordKey.flatMap(shown.record).map(decode) }

  /// The offset of the element with an id; nil if it is not among them.
  ///
  /// - Complexity: O(log *n*).
  public func offset(of id: E.ID) -> Int? { id.recordKey.flatMap(shown.find)?.offset }

  private func decode(_ record: Record) -> E { table.decodeLeniently(record, as: E.self) }

  /// Goes through the elements leaf by leaf. O(1) an element.
  public struct Iterator: IteratorProtocol {
    fileprivate let elements: LiveElements
    fileprivate var offset = 0
    fileprivate var leaf: ContiguousArray<Record> = []
    fileprivate var position = 0

    public mutating func next() -> E? {
      if position == leaf.count {
        guard offset < elements.count else { return nil }
        (leaf, position) = elements.shown.leaf(at: offset)
      }
      guard offset < elements.count else { return nil }
      defer {
        offset += 1
        position += 1
      }
      return elements.decode(leaf[position])
    }
  }

  public func makeIterator() -> Iterator { Iterator(elements: self) }
}
