extension UndoReport: CustomStringConvertible {
  public var description: String {
    let name = name.map { "\"\($0)\": " } ?? ""
    let changed = "\(name)\(count) \(count == 1 ? "entity" : "entities") changed"
    if isComplete { return changed }
    return "\(changed); left as it is: \(skipped.map(\.description).joined(separator: "; "))"
  }
}

extension UndoReport.Skipped: CustomStringConvertible {
  public var description: String {
    let names = attributes.isEmpty ? "" : " \(attributes.joined(separator: ", "))"
    return "\(entity) \(key)\(names) (\(reason))"
  }
}

extension UndoReport.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .changed: "another value by now"
    case .gone: "deleted by another commit"
    case .exists: "inserted again by another commit"
    case .beingSaved: "being saved"
    }
  }
}
