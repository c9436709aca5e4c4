// One value may stand in the store in several spellings: as JSON of an earlier version of its type, as
// "1.10", as a URL that is not escaped. A row is what the store has. The value in a program's hand does
// not show how it is spelt there, so its record is compared with the row as the program would write it.

/// The record that a program would write after it has read a row.
struct ReadRecord {
  let record: Record
  /// The attributes whose cells the type cannot read. They have their default values.
  let unreadable: AttributeSet
}

extension EntityCodec {
  /// Reads a record into a default entity and writes it again; nil if it cannot be written.
  ///
  /// - Parameter entity: an initialised entity, which has the attributes that cannot be read.
  func rewrite(_ record: Record, over entity: UnsafeMutableRawPointer) -> ReadRecord? {
    var unreadable = AttributeSet()
    record.withView { view in
      // Decoding that skips what cannot be read never throws.
      try? decode(view, into: entity) { unreadable.insert($0) }
    }
    guard let written = try? encode(UnsafeRawPointer(entity), into: RecordBuilder()) else {
      return nil
    }
    return ReadRecord(record: written, unreadable: unreadable)
  }
}

extension Table {
  /// Returns a record with the cell of `stored` in each attribute in which both have the same value.
  ///
  /// Two cells have the same value if this program writes the values that it reads from them in the
  /// same way. A value of the record that no program can have read from `stored` stays.
  ///
  /// - Parameter seesDefaults: whether a cell that cannot be read counts as the default value, which
  ///   contexts show in its place.
  /// - Complexity: O(attributes). If the records differ in nothing that may be spelt in two ways,
  ///   nothing is decoded.
  func respelled(_ record: Record, like stored: Record, seesDefaults: Bool = false) -> Record {
    let candidates = spellings(of: record, over: stored)
    if candidates.isEmpty { return record }
    guard let read = read(stored) else { return record }
    var known = candidates
    if !seesDefaults { known = known.subtracting(read.unreadable) }
    var same = known.subtracting(record.differences(from: read.record))
    let left = candidates.subtracting(same).subtracting(read.unreadable)
    // The record may itself be a row of the store, in a third spelling.
    if !left.isEmpty, let own = self.read(record) {
      same.formUnion(
        left.subtracting(own.unreadable).subtracting(own.record.differences(from: read.record)))
    }
    return record.replacing(same, from: stored)
  }

  /// Returns the attributes in which two records differ, and which may be spelt in two ways.
  private func spellings(of record: Record, over stored: Record) -> AttributeSet {
    // A link has keys alone.
    if isJoin || record.count != columns.count || stored.count != columns.count {
      return AttributeSet()
    }
    return record.withView { mine in
      stored.withView { theirs in
        var found = AttributeSet()
        for column in 0..<mine.count
        where !mine.equals(column, in: theirs)
          && (codec.mayRespell(column, in: theirs) || codec.mayRespell(column, in: mine))
        {
          found.insert(column)
        }
        return found
      }
    }
  }

  /// Reads a record as a context reads a row; nil for a table without an entity.
  private func read(_ record: Record) -> ReadRecord? {
    rewrite?(record, codec)
  }
}
