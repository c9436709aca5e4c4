// The lists in which a context places entities.

/// The ordered lists of a context that its edits keep up to date.
struct OrderedLists: Sendable {
  /// The most lists that are kept. Each has the rows of one relationship.
  private static let limit = 4

  private var lists: [(number: Int, list: OrderedList)] = []
  private var lastNumber = 0

  fileprivate mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  fileprivate mutating func take(
    _ isWanted: (OrderedList) -> Bool
  ) -> (number: Int, list: OrderedList)? {
    lists.firstIndex { isWanted($0.list) }.map { lists.remove(at: $0) }
  }

  /// Adds a list that is used now, and returns the number of the list that is kept no longer.
  fileprivate mutating func add(_ number: Int, _ list: OrderedList) -> Int? {
    lists.append((number, list))
    return lists.count > Self.limit ? lists.removeFirst().number : nil
  }

  fileprivate mutating func removeAll() { lists = [] }
}

/// A list that was taken from the edits of its context, until it is put back.
struct TakenList {
  fileprivate let number: Int
  var list: OrderedList
  /// The keys that were edited since the list was up to date.
  let edited: [TableID: Set<RecordKey>]
}

extension Edits {
  /// Takes a list that belongs to a state of the store; nil if there is none.
  ///
  /// A list that is taken is followed only by the taker, who puts it back.
  mutating func takeList(
    _ source: OrderedList.Source, in state: any AnyObject & Sendable
  ) -> TakenList? {
    guard let found = lists.take({ $0.source.isSame(as: source) }) else { return nil }
    guard found.list.isList(of: source, in: state), let edited = layer.notes.take(found.number)
    else {
      layer.notes.end(found.number)
      return nil
    }
    return TakenList(number: found.number, list: found.list, edited: edited)
  }

  /// Begins to note the keys that are edited from now on, for a list that is about to be read.
  ///
  /// - Returns: the number with which the list is put back.
  mutating func beginList(_ source: OrderedList.Source) -> Int {
    let number = lists.nextNumber()
    layer.notes.begin(number, source.tables)
    return number
  }

  /// Keeps a list that has been read, or that was taken.
  ///
  /// The list is dropped if its keys are noted no longer, because the edits have been saved or
  /// discarded, or are too many.
  mutating func putList(_ list: OrderedList, _ number: Int) {
    guard layer.notes.has(number) else { return }
    if let dropped = lists.add(number, list) { layer.notes.end(dropped) }
  }

  mutating func putList(_ taken: TakenList) { putList(taken.list, taken.number) }

  /// Ends the notes for a list that could not be read.
  mutating func endList(_ number: Int) { layer.notes.end(number) }

  mutating func endList(_ taken: TakenList) { endList(taken.number) }

  /// Drops all lists, because the rows under the edits may differ.
  mutating func dropLists() {
    lists.removeAll()
    layer.notes = LayerNotes()
  }
}
