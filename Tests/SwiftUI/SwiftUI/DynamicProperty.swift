public import Observation

public protocol DynamicProperty {
  mutating func update()
}

extension DynamicProperty {
  public mutating func update() {}
}

/// A property that a host connects to the storage of its view.
protocol HostedProperty {
  @MainActor func connect(to storage: Storage, at place: String)
}

@propertyWrapper public struct State<Value>: DynamicProperty, HostedProperty {
  /// A value whose changes evaluate the views that have read it.
  private final class Box: Observable {
    private let registrar = ObservationRegistrar()
    private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value {
      get {
        registrar.access(self, keyPath: \.value)
        return stored
      }
      set { registrar.withMutation(of: self, keyPath: \.value) { stored = newValue } }
    }
  }

  private final class Location { var box: Box? }

  private let initial: Box
  private let location = Location()

  public init(wrappedValue value: Value) { initial = Box(value) }

  public var wrappedValue: Value {
    get { (location.box ?? initial).value }
    nonmutating set { (location.box ?? initial).value = newValue }
  }

  @MainActor public var projectedValue: Binding<Value> {
    Binding {
      wrappedValue
    } set: {
      wrappedValue = $0
    }
  }

  func connect(to storage: Storage, at place: String) {
    location.box = storage.states[place] as? Box ?? initial
    storage.states[place] = location.box
  }
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues {
  private var values: [ObjectIdentifier: Any] = [:]

  public init() {}

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  subscript<Object: AnyObject>(object type: Object.Type) -> Object? {
    get { values[ObjectIdentifier(type)] as? Object }
    set { values[ObjectIdentifier(type)] = newValue }
  }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty, HostedProperty {
  private final class Location { var environment = EnvironmentValues() }

  private let location = Location()
  private let read: (EnvironmentValues) -> Value

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

  public init(_ objectType: Value.Type) where Value: AnyObject, Value: Observable {
    read = { environment in
      guard let object = environment[object: objectType] else {
        fatalError("no observable object of type \(objectType) found")
      }
      return object
    }
  }

  public init<Object: AnyObject & Observable>(_ objectType: Object.Type) where Value == Object? {
    read = { $0[object: objectType] }
  }

  public var wrappedValue: Value { read(location.environment) }

  func connect(to storage: Storage, at place: String) {
    location.environment = storage.environment
  }
}

/// An action that closes the sheet around a view.
public struct DismissAction {
  var close: @MainActor () -> Void = {}

  @MainActor public func callAsFunction() { close() }
}

extension EnvironmentValues {
  private struct DismissKey: EnvironmentKey {
    static var defaultValue: DismissAction { DismissAction() }
  }

  public internal(set) var dismiss: DismissAction {
    get { self[DismissKey.self] }
    set { self[DismissKey.self] = newValue }
  }
}
