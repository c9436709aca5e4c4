internal import Strata

extension EntityMapper {
  /// Returns the remedy for a value that is not a field's; nil for the value of a field.
  ///
  /// Only fields have conversions and values for unknown ones. A key has no value for unknown ones,
  /// because all records that cannot be read would then be one row.
  ///
  /// - Parameter reason: the description of the fault.
  func advice(at path: JSONPath, _ reason: String) -> String? {
    if case .when(let slot, _)? = deletion, columns[slot].path == path {
      return "give the Tombstone the sign that the server sends: ifTrue:, ifThere: or if:is:"
    }
    if keySlots.joined().contains(where: { columns[$0].path == path }) {
      return Self.adviceForKey(reason)
    }
    for linkage in linkages where linkage.member.rest(of: path, columns) != nil {
      return reason.contains("expected a number, found \"")
        ? "pass allowingNumberInString: true to NestedKeys"
        : "let each element of the array be a key of the linked entity, or name the member that has "
          + "the key with NestedKeys(_:_:at:)"
    }
    for array in arrays {
      guard let rest = array.member.rest(of: path, columns) else { continue }
      if rest.steps.isEmpty { return "let the member of NestedArray be an array of objects" }
      return array.mapper.advice(at: rest, reason)
    }
    return objects.lazy.compactMap { $0.mapper.advice(at: path, reason) }.first
  }

  private static func adviceForKey(_ reason: String) -> String {
    let rest = "leave such records out with ImportOptions.refusedRecords"
    if reason.contains("required and") {
      return "let the source send a key with each record, or \(rest)"
    }
    return reason.contains("expected a number, found \"")
      ? "read numbers in text with allowingNumberInString(), or \(rest)"
      : "give the field of the key another conversion, or \(rest)"
  }
}

extension ArrayMember {
  /// Returns the part of a path inside of an element, or an empty path for the array itself and for
  /// an element; nil if the path does not lead to the array.
  fileprivate func rest(of path: JSONPath, _ columns: [JSONColumn]) -> JSONPath? {
    for slot in slots where path.steps.starts(with: columns[slot].path.steps) {
      return JSONPath(Array(path.steps.dropFirst(columns[slot].path.steps.count + 1)))
    }
    return nil
  }
}
