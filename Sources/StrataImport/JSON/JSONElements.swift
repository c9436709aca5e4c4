/// The elements of an array inside a scanned record, the members of an object, or the whole record,
/// read by a further plan.
struct JSONElements {
  /// A value that does not fit its column.
  struct Fault: Error {
    let path: JSONPath
    let reason: String
    let advice: String
  }

  private let plans: [JSONPlan]
  /// The array's text, with padding for a reader.
  private var window = JSONWindow()
  private var traversal: JSONTraversal
  /// The element that was read last.
  private(set) var scanned = ScannedRecord()

  /// Creates the elements of an array, or of an object if the plan reads the names of its members;
  /// nil if the value is of another kind.
  init?(_ bytes: ScannedRecord.Bytes, of scanned: ScannedRecord, _ plan: JSONPlan) {
    plans = [plan]
    let hasMembers = !plan.nameSlots.isEmpty
    traversal = JSONTraversal(hasMembers ? .members : .array)
    let isFitting = scanned.withBytes(bytes) { text in
      window.append(text)
      return text.first == (hasMembers ? UInt8(ascii: "{") : UInt8(ascii: "["))
    }
    guard isFitting else { return nil }
    window.finish()
  }

  /// Creates a single element from a whole record, to be read by another plan.
  ///
  /// - Parameter isMember: whether the record begins with the name of the member that has it.
  init(record scanned: ScannedRecord, isMember: Bool, _ plan: JSONPlan) {
    plans = [plan]
    traversal = JSONTraversal(record: isMember)
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
      let found = window.excerpt(fault.range)
      throw Fault(
        path: path, reason: fault.problem.reason(found),
        advice: fault.problem.advice(
          found, isField: fault.site.isSlot && !path.steps.isEmpty, at: path))
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
