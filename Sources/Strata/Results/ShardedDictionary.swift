/// A dictionary in parts, whose copies share every part but the changed ones.
///
/// A dictionary that is changed while another copy is held is copied whole. Here a change copies one of
/// about √*n* parts, which has about √*n* entries, and the list of the parts.
struct ShardedDictionary<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Their number is a power of two.
  private var parts: [[Key: Value]] = [[:]]
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(key: Key) -> Value? { parts[part(of: key)][key] }

  /// Changes the value of a key, which `body` may add or remove.
  mutating func update(_ key: Key, _ body: (inout Value?) -> Void) {
    let part = part(of: key)
    // Removed, so that changing the value does not copy it.
    var value = parts[part].removeValue(forKey: key)
    let wasThere = value != nil
    body(&value)
    count += (value == nil ? 0 : 1) - (wasThere ? 1 : 0)
    if let value { parts[part][key] = value }
    if count > parts.count * parts.count { grow() }
  }

  func forEach(_ body: (Key, Value) -> Void) {
    for part in parts { for (key, value) in part { body(key, value) } }
  }

  private func part(of key: Key) -> Int { key.hashValue & (parts.count - 1) }

  private mutating func grow() {
    var larger = Self()
    larger.parts = Array(repeating: [:], count: parts.count * 2)
    forEach { key, value in larger.parts[larger.part(of: key)][key] = value }
    parts = larger.parts
  }
}
