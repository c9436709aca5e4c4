import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The reason why a file is not a model.
struct DataModelError: Error, CustomStringConvertible {
  let description: String
}

extension DataModel {
  /// Reads a model, the current version of a versioned model, or the XML inside of a model.
  init(at url: URL) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw DataModelError(description: "there is no \(url.path)")
    }
    if url.pathExtension == "xcdatamodeld" {
      try self.init(at: Self.currentVersion(of: url))
    } else if isFolder.boolValue {
      try self.init(at: url.appendingPathComponent("contents"))
    } else {
      try self.init(xml: Data(contentsOf: url))
    }
  }

  /// Reads the model in the XML of a `contents` file.
  init(xml: Data) throws {
    let reader = DataModelReader()
    let parser = XMLParser(data: xml)
    parser.delegate = reader
    guard parser.parse(), parser.parserError == nil, reader.isWhole else {
      throw DataModelError(
        description: "line \(parser.lineNumber) is not XML of a model"
          + (parser.parserError.map { ": \($0)" } ?? ""))
    }
    guard reader.isModel else {
      throw DataModelError(description: "the XML has no <model>: it is not the contents of a model")
    }
    self = reader.model
  }

  private static func currentVersion(of url: URL) throws -> URL {
    let mark = url.appendingPathComponent(".xccurrentversion")
    if let data = try? Data(contentsOf: mark) {
      let list = try PropertyListSerialization.propertyList(from: data, format: nil)
      if let name = (list as? [String: Any])?["_XCCurrentVersionName"] as? String {
        return url.appendingPathComponent(name)
      }
    }
    let versions = try FileManager.default.contentsOfDirectory(
      at: url, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "xcdatamodel" }
    guard versions.count == 1 else {
      throw DataModelError(
        description:
          "\(url.lastPathComponent) has \(versions.count) versions and does not say which "
          + "is current: give one of them")
    }
    return versions[0]
  }
}

/// Collects a model from the elements of the XML.
///
/// Elements that describe no part of ``DataModel`` are left out.
private final class DataModelReader: NSObject, XMLParserDelegate {
  private(set) var model = DataModel()
  private(set) var isModel = false
  private var path: [String] = []
  private var isNested = true

  /// Whether every element ended in its place. Not every platform's parser checks that.
  var isWhole: Bool { isNested && path.isEmpty }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    path.append(element)
    switch element {
    case "model": isModel = path.count == 1
    case "entity" where path.count == 2: model.entities.append(DataEntity(attributes))
    case "compositeAttribute" where path.count == 2:
      model.composites.append(DataComposite(name: attributes["name"] ?? ""))
    case "fetchRequest" where path.count == 2:
      model.fetchRequests.append(DataFetchRequest(attributes))
    case "configuration" where path.count == 2:
      model.configurations.append(DataConfiguration(name: attributes["name"] ?? ""))
    case "memberEntity" where path.count == 3 && path[1] == "configuration":
      model.configurations.changeLast { $0.entities.append(attributes["name"] ?? "") }
    case "attribute" where path.count == 3 && path[1] == "compositeAttribute":
      model.composites.changeLast { $0.attributes.append(DataAttribute(attributes)) }
    default:
      if path.count > 2, path[1] == "entity" {
        model.entities.changeLast { add(element, attributes, to: &$0) }
      }
    }
  }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    if path.popLast() != element { isNested = false }
  }

  private func add(_ element: String, _ attributes: [String: String], to entity: inout DataEntity) {
    switch element {
    case "attribute": entity.attributes.append(DataAttribute(attributes))
    case "relationship": entity.relationships.append(DataRelationship(attributes))
    case "fetchedProperty":
      entity.fetchedProperties.append(DataFetchRequest(name: attributes["name"] ?? ""))
    case "fetchRequest":
      entity.fetchedProperties.changeLast {
        $0.entity = attributes["entity"] ?? ""
        $0.predicate = attributes["predicateString"] ?? ""
      }
    case "fetchIndex", "compoundIndex":
      entity.indexes.append(DataIndex(name: attributes["name"] ?? ""))
    case "fetchIndexElement", "index":
      let property = attributes["property"] ?? attributes["value"]
      entity.indexes.changeLast {
        $0.elements.append(property ?? attributes["expression"] ?? "?")
        if property == nil { $0.hasExpressions = true }
        if attributes["type"] == "RTree" { $0.isTree = true }
      }
    case "uniquenessConstraint": entity.uniquenessConstraints.append([])
    case "constraint":
      guard let value = attributes["value"] else { return }
      entity.uniquenessConstraints.changeLast { $0.append(value) }
    case "entry":
      let entry = DataUserInfo(key: attributes["key"] ?? "", value: attributes["value"] ?? "")
      switch path.dropLast(2).last {
      case "attribute": entity.attributes.changeLast { $0.userInfo.append(entry) }
      case "relationship": entity.relationships.changeLast { $0.userInfo.append(entry) }
      case "fetchedProperty": entity.fetchedProperties.changeLast { $0.userInfo.append(entry) }
      default: entity.userInfo.append(entry)
      }
    default: break
    }
  }
}

extension Array {
  /// Changes the last element. Does nothing if the array is empty, as for an XML element without
  /// its parent.
  fileprivate mutating func changeLast(_ change: (inout Element) -> Void) {
    guard !isEmpty else { return }
    change(&self[count - 1])
  }
}

extension DataEntity {
  fileprivate init(_ xml: [String: String]) {
    name = xml["name"] ?? ""
    parent = xml["parentEntity"]
    isAbstract = xml["isAbstract"] == "YES"
    renamingIdentifier = xml["elementID"]
  }
}

extension DataAttribute {
  fileprivate init(_ xml: [String: String]) {
    name = xml["name"] ?? ""
    type = xml["attributeType"] ?? ""
    isOptional = xml["optional"] == "YES"
    isScalar = xml["usesScalarValueType"] == "YES"
    isIndexed = xml["indexed"] == "YES"
    isTransient = xml["transient"] == "YES"
    derivation = xml["derived"] == "YES" ? xml["derivationExpression"] ?? "" : nil
    isExternal = xml["allowsExternalBinaryDataStorage"] == "YES"
    defaultValue = xml["defaultValueString"] ?? xml["defaultDateTimeInterval"]
    minimum = xml["minValueString"] ?? xml["minDateTimeInterval"]
    maximum = xml["maxValueString"] ?? xml["maxDateTimeInterval"]
    pattern = xml["regularExpressionString"]
    className = xml["customClassName"]
    renamingIdentifier = xml["elementID"]
  }
}

extension DataRelationship {
  fileprivate init(_ xml: [String: String]) {
    name = xml["name"] ?? ""
    destination = xml["destinationEntity"] ?? ""
    inverse = xml["inverseName"]
    isToMany = xml["toMany"] == "YES"
    isOrdered = xml["ordered"] == "YES"
    isOptional = xml["optional"] == "YES"
    isTransient = xml["transient"] == "YES"
    deleteRule = xml["deletionRule"].flatMap(DeleteRule.init) ?? .none
    renamingIdentifier = xml["elementID"]
  }
}

extension DataFetchRequest {
  fileprivate init(_ xml: [String: String]) {
    name = xml["name"] ?? ""
    entity = xml["entity"] ?? ""
    predicate = xml["predicateString"] ?? ""
  }
}
