internal import Strata

/// A path of an input with records, and the mapping of these records.
struct RecordPath {
  /// The keys from the document to the array; empty for the whole input.
  let path: [String]
  /// The plan by which the scanner reads the records.
  let plan: JSONPlan
  let records: Records
  /// Whether the records are the members of an object.
  let areMembers: Bool

  enum Records {
    /// All records have one mapping, by whose plan the scanner reads them.
    case all(RecordMapper)
    /// The text in the scanner's only slot selects the mapper, which reads the record again.
    /// Records whose text is in `ignored` are known and not imported.
    case byText([String: RecordMapper], ignored: Set<String>)
    /// The value is not a record. It is kept under this name.
    case member(String)
  }

  /// Creates the only path of an input whose records have one mapping.
  init(_ mapper: RecordMapper) {
    path = []
    plan = mapper.plan
    records = .all(mapper)
    areMembers = false
  }

  /// The mappers of records, without those of deletions.
  var mappers: [RecordMapper] {
    switch records {
    case .all(let mapper): mapper.isOfDeletions ? [] : [mapper]
    case .byText(let mappers, _): Array(mappers.values)
    case .member: []
    }
  }

  var isMember: Bool { if case .member = records { true } else { false } }

  /// Returns the paths of a document.
  static func paths(
    of document: JSONDocument, in model: Model
  ) throws(ImportError) -> [RecordPath] {
    var order: [String] = []
    var groups: [String: [JSONRecords]] = [:]
    for part in document.parts {
      if groups[part.path] == nil { order.append(part.path) }
      groups[part.path, default: []].append(part)
    }
    guard !order.isEmpty, order.count <= 64 else {
      throw .mapping("a document needs 1 to 64 paths with records, not \(order.count)")
    }
    if document.isLines && (order != [""] || document.parts.contains { $0.areMembers }) {
      throw .mapping("every line is a record, so the path of all records of lines is empty")
    }
    var paths: [RecordPath] = []
    for path in order { paths.append(try RecordPath(path, groups[path] ?? [], model)) }
    for path in paths {
      let outer = paths.filter { $0.path.count < path.path.count }
      if let other = outer.first(where: { path.path.starts(with: $0.path) }) {
        let (inside, outside) = (
          path.path.joined(separator: "."), other.path.joined(separator: ".")
        )
        throw .mapping("the records at \"\(inside)\" are inside of those at \"\(outside)\"")
      }
    }
    return paths
  }

  private init(_ text: String, _ parts: [JSONRecords], _ model: Model) throws(ImportError) {
    guard let path = text.isEmpty ? [] : JSONPath.keys(text) else {
      throw .mapping("\(JSONPlanError.invalidPath(text)); a path to records has no index")
    }
    self.path = path
    areMembers = parts.contains { $0.areMembers }
    if areMembers, parts.contains(where: { !$0.areMembers && !$0.isIgnored }) {
      throw .mapping("the records at \"\(text)\" are elements of an array and members of an object")
    }
    var mappers: [String: RecordMapper] = [:]
    var ignored: Set<String> = []
    var key: String?
    for part in parts {
      guard let condition = part.condition else {
        guard parts.count == 1 else {
          throw .mapping("several entities at \"\(text)\", and no condition tells them apart")
        }
        (plan, records) = try Self.reading(part, model)
        return
      }
      guard key == nil || key == condition.key else {
        throw .mapping("the conditions at \"\(text)\" are of different keys")
      }
      guard mappers[condition.value] == nil, !ignored.contains(condition.value) else {
        throw .mapping("two entities at \"\(text)\" whose \(condition.key) is \(condition.value)")
      }
      key = condition.key
      switch part.content {
      case .records(let mapping):
        mappers[condition.value] = try RecordMapper(
          mapping, in: model, recordsAreMembers: areMembers)
      case .ignored: ignored.insert(condition.value)
      case .keys, .member:
        throw .mapping("only records are told apart by a member, not what is at \"\(text)\"")
      }
    }
    do throws(JSONPlanError) {
      plan = try JSONPlan([JSONColumn(try JSONPath(key ?? ""), .custom(0))])
    } catch {
      throw .mapping("the condition at \"\(text)\": \(error)")
    }
    records = .byText(mappers, ignored: ignored)
  }

  private static func reading(
    _ part: JSONRecords, _ model: Model
  ) throws(ImportError) -> (JSONPlan, Records) {
    switch part.content {
    case .records(let mapping):
      let mapper = try RecordMapper(mapping, in: model, recordsAreMembers: part.areMembers)
      return (mapper.plan, .all(mapper))
    case .keys(let keys):
      let mapper = try RecordMapper(deletionsOf: keys, in: model)
      return (mapper.plan, .all(mapper))
    case .member: return (JSONPlan(value: .json), .member(part.path))
    case .ignored: throw .mapping("no condition says what is ignored at \"\(part.path)\"")
    }
  }
}
