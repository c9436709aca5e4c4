/// The elements of an array inside a scanned record, or the whole record, read by a further
/// plan.
struct JSONElements {
  /// A value that does not fit its column.
  struct Fault: Error {
    let path: JSONPath
    let reason: String
  }

  private let plans: [JSONPlan]
  /// The array's text, with padding for a reader.
  private var window = JSONWindow()
  private var traversal: JSONTraversal
  /// The element that was read last.
  private(set) var scanned = ScannedRecord()

  /// Creates the elements of an array; nil if the value is not an array.
  init?(_ bytes: ScannedRecord.Bytes, of scanned: ScannedRecord, _ plan: JSONPlan) {
    plans = [plan]
    traversal = JSONTraversal(.array)
    let isArray = scanned.withBytes(bytes) { text in
      window.append(text)
      return text.first == UInt8(ascii: "[")
    }
    guard isArray else { return nil }
    window.finish()
  }

  /// Creates a single element from a whole record, to be read by another plan.
  init(record scanned: ScannedRecord, _ plan: JSONPlan) {
    plans = [plan]
    traversal = JSONTraversal(.lines)
    scanned.withSource { window.append($0) }
    window.finish()
  }

  /// Reads the next element into `scanned`; returns false after the last element.
  mutating func next() throws(Fault) -> Bool {
    let hasNext = read()
    if let fault = scanned.fault, hasNext {
      let path =
        switch fault.site {
        case .slot(let slot): plans[0].columns[slot].path
        case .node(let node): plans[0].paths[node]
        }
      throw Fault(path: path, reason: fault.problem.reason(window.excerpt(fault.range)))
    }
    return hasNext
  }

  private mutating func read() -> Bool {
    do throws(JSONFault) {
      return try window.next(&traversal, plans, &scanned)
    } catch {
      fatalError("an array that was validated is none: \(error)")
    }
  }
}
