internal import Strata

/// A place of a feed where records are, and what they are.
struct FeedPlace {
  /// Keys from the document to the array; nothing for the whole input.
  let path: [String]
  /// How the scanner reads the records.
  let plan: JSONPlan
  let records: Records

  enum Records {
    /// All of them are of one mapping, by which the scanner reads them.
    case all(RecordMapper)
    /// The text in the scanner's only slot says of which; then they are read once more.
    case byText([String: RecordMapper])
  }

  /// Every record of the input.
  init(_ mapper: RecordMapper) {
    path = []
    plan = mapper.plan
    records = .all(mapper)
  }

  /// The mappings of the records.
  var mappers: [RecordMapper] {
    switch records {
    case .all(let mapper): [mapper]
    case .byText(let mappers): Array(mappers.values)
    }
  }

  /// The places of a document.
  static func places(
    of document: JSONDocument, in model: Model
  ) throws(ImportError) -> [FeedPlace] {
    var order: [String] = []
    var groups: [String: [JSONRecords]] = [:]
    for part in document.parts {
      if groups[part.path] == nil { order.append(part.path) }
      groups[part.path, default: []].append(part)
    }
    guard !order.isEmpty, order.count <= 64 else {
      throw .mapping("a document needs 1 to 64 paths with records, not \(order.count)")
    }
    var places: [FeedPlace] = []
    for path in order { places.append(try FeedPlace(path, groups[path] ?? [], model)) }
    for place in places {
      let outer = places.filter { $0.path.count < place.path.count }
      if let other = outer.first(where: { place.path.starts(with: $0.path) }) {
        let (inside, outside) = (
          place.path.joined(separator: "."), other.path.joined(separator: ".")
        )
        throw .mapping("the records at \"\(inside)\" are inside of those at \"\(outside)\"")
      }
    }
    return places
  }

  private init(_ text: String, _ parts: [JSONRecords], _ model: Model) throws(ImportError) {
    path = text.isEmpty ? [] : text.split(separator: ".").map(String.init)
    var mappers: [String: RecordMapper] = [:]
    var key: String?
    for part in parts {
      let mapper = try RecordMapper(part.mapping, in: model)
      guard let condition = part.condition else {
        guard parts.count == 1 else {
          throw .mapping("several entities at \"\(text)\", and no condition tells them apart")
        }
        plan = mapper.plan
        records = .all(mapper)
        return
      }
      guard key == nil || key == condition.key else {
        throw .mapping("the conditions at \"\(text)\" are of different keys")
      }
      guard mappers.updateValue(mapper, forKey: condition.value) == nil else {
        throw .mapping("two entities at \"\(text)\" whose \(condition.key) is \(condition.value)")
      }
      key = condition.key
    }
    do throws(JSONPlanError) {
      plan = try JSONPlan([JSONColumn(try JSONPath(key ?? ""), .custom(0))])
    } catch {
      throw .mapping("the condition at \"\(text)\": \(error)")
    }
    records = .byText(mappers)
  }
}
