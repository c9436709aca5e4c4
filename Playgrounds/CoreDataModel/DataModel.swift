/// The parts of a Core Data model that can be carried over or have to be mentioned.
struct DataModel: Equatable {
  var entities: [DataEntity] = []
  var composites: [DataComposite] = []
  var fetchRequests: [DataFetchRequest] = []
  var configurations: [DataConfiguration] = []
}

struct DataEntity: Equatable {
  var name = ""
  var parent: String?
  var isAbstract = false
  var renamingIdentifier: String?
  var attributes: [DataAttribute] = []
  var relationships: [DataRelationship] = []
  var fetchedProperties: [DataFetchRequest] = []
  var indexes: [DataIndex] = []
  var uniquenessConstraints: [[String]] = []
  var userInfo: [DataUserInfo] = []
}

struct DataAttribute: Equatable {
  var name = ""
  /// The type as the model spells it, such as "Integer 16" or "Transformable".
  var type = ""
  var isOptional = false
  /// Whether the generated class uses a scalar, which is never nil, whatever the store has.
  var isScalar = false
  var isIndexed = false
  var isTransient = false
  var derivation: String?
  var isExternal = false
  var defaultValue: String?
  var minimum: String?
  var maximum: String?
  var pattern: String?
  var className: String?
  var renamingIdentifier: String?
  var userInfo: [DataUserInfo] = []
}

struct DataRelationship: Equatable {
  enum DeleteRule: String {
    case nullify = "Nullify", cascade = "Cascade", deny = "Deny", none = "No Action"
  }

  var name = ""
  var destination = ""
  var inverse: String?
  var isToMany = false
  var isOrdered = false
  var isOptional = false
  var isTransient = false
  var deleteRule = DeleteRule.nullify
  var renamingIdentifier: String?
  var userInfo: [DataUserInfo] = []
}

struct DataIndex: Equatable {
  var name = ""
  var isTree = false
  /// The properties and expressions in order.
  var elements: [String] = []
  var hasExpressions = false
}

struct DataComposite: Equatable {
  var name = ""
  var attributes: [DataAttribute] = []
}

struct DataFetchRequest: Equatable {
  var name = ""
  var entity = ""
  /// The predicate; empty for every row.
  var predicate = ""
  var userInfo: [DataUserInfo] = []
}

/// A list of entities that a store of their own may keep.
struct DataConfiguration: Equatable {
  var name = ""
  var entities: [String] = []
}

struct DataUserInfo: Equatable {
  var key = ""
  var value = ""
}
