internal import Strata

/// A hash table in many parts, so that no single insertion takes long.
///
/// A hash table that grows moves all of its entries at once. With 100,000 annotations this holds
/// the main actor for tens of milliseconds. A part of this table moves only its own entries.
struct ShardedTable<Value> {
  private var shards = Array(repeating: [RecordKey: Value](), count: Self.shardCount)
  /// The part from which ``popFirst(_:)`` continues, so that no part is passed over forever.
  private var next = 0
  private(set) var count = 0

  private static var shardCount: Int { 256 }

  var isEmpty: Bool { count == 0 }
  var values: some Sequence<(key: RecordKey, value: Value)> { shards.lazy.joined() }

  subscript(key: RecordKey) -> Value? {
    get { shards[Self.shard(of: key)][key] }
    set {
      let shard = Self.shard(of: key)
      let before = shards[shard].count
      shards[shard][key] = newValue
      count += shards[shard].count - before
    }
  }

  /// Changes the value of a key in its place, if there is one.
  mutating func change(_ key: RecordKey, _ body: (inout Value) -> Void) {
    let shard = Self.shard(of: key)
    guard let index = shards[shard].index(forKey: key) else { return }
    body(&shards[shard].values[index])
  }

  /// Removes up to `limit` entries, and returns them in no particular order.
  ///
  /// - Complexity: O(n), n being the number of returned entries.
  mutating func popFirst(_ limit: Int) -> [(key: RecordKey, value: Value)] {
    var popped: [(key: RecordKey, value: Value)] = []
    while popped.count < limit && !isEmpty {
      let rest = limit - popped.count
      if shards[next].count <= rest {
        count -= shards[next].count
        popped += shards[next]
        shards[next] = [:]
      } else {
        let some = Array(shards[next].prefix(rest))
        for (key, _) in some { shards[next][key] = nil }
        count -= some.count
        popped += some
        break
      }
      next = (next + 1) % Self.shardCount
    }
    return popped
  }

  private static func shard(of key: RecordKey) -> Int {
    // The low bits of the hash choose the place in a part.
    Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) >> 48) % shardCount
  }
}
