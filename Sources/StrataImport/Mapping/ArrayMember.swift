internal import Strata

/// An array of a record, whose elements are read by a plan of their own.
struct ArrayMember {
  /// The slots that may have the array. The first slot that is not missing counts.
  let slots: [Int]
  let plan: JSONPlan

  /// Reads the elements of a record's array. The path of a refusal begins at the record.
  ///
  /// - Parameters:
  ///   - columns: the columns of the record's plan, by slot.
  ///   - key: returns the key to which an element links the record; nil if there is no link.
  /// - Returns: the distinct keys, in the order of the array; nil if the record has no such array.
  func keys(
    in scanned: ScannedRecord, _ columns: [JSONColumn],
    _ key: (_ element: ScannedRecord, _ index: Int) throws(EntityMapper.Refusal) -> RecordKey?
  ) throws(EntityMapper.Refusal) -> [RecordKey]? {
    guard let slot = slots.first(where: { scanned.cells[$0] != .missing }) else { return nil }
    guard case .text(let bytes) = scanned.cells[slot] else { return [] }
    let path = columns[slot].path
    guard var elements = JSONElements(bytes, of: scanned, plan) else {
      let kind = plan.nameSlots.isEmpty ? "an array" : "an object"
      throw EntityMapper.Refusal(path: path, error: ValueError("expected \(kind)"))
    }
    var keys: [RecordKey] = []
    var seen: Set<RecordKey> = []
    var index = 0
    func refusal(
      _ inner: JSONPath, _ error: ValueError, _ advice: String?
    ) -> EntityMapper.Refusal {
      .init(
        path: JSONPath(path.steps + [.index(index)] + inner.steps), error: error, advice: advice)
    }
    while true {
      do throws(JSONElements.Fault) {
        guard try elements.next() else { return keys }
      } catch {
        throw refusal(error.path, ValueError(error.reason), error.advice)
      }
      do throws(EntityMapper.Refusal) {
        if let key = try key(elements.scanned, index), seen.insert(key).inserted {
          keys.append(key)
        }
      } catch {
        throw refusal(error.path, error.error, error.advice)
      }
      index += 1
    }
  }
}
