public import Observation

/// A host that shows one view.
///
/// The host keeps the view's state when the view is made again. It evaluates the view when a value
/// that the view has read changes.
@MainActor public final class Host {
  private let storage = Storage()
  private var show: () -> [String] = { [] }
  /// The words that the view shows.
  public private(set) var words: [String] = []
  /// How many times the view was evaluated.
  public private(set) var evaluations = 0

  public init() {}

  /// Shows a view in place of the view before, as a parent does when it is evaluated.
  public func show(_ view: some View) {
    show = { [storage] in
      Self.connect(view, storage, "")
      return view.shown
    }
    evaluate()
  }

  private func evaluate() {
    evaluations += 1
    words = withObservationTracking(show) { [weak self] in
      Task { @MainActor in self?.evaluate() }
    }
  }

  /// Connects the properties of a view, and of the views and properties inside it.
  private static func connect(_ value: Any, _ storage: Storage, _ place: String) {
    if let view = value as? any Enclosing { view.change(&storage.environment) }
    for child in Mirror(reflecting: value).children {
      let inner = "\(place).\(child.label ?? "")"
      storage.place = inner
      if let property = child.value as? any HostedProperty {
        property.connect(to: storage)
      } else if child.value is any DynamicProperty || child.value is any View {
        connect(child.value, storage, inner)
      }
    }
  }
}

/// A view that changes the environment of the views inside it.
@MainActor protocol Enclosing {
  func change(_ environment: inout EnvironmentValues)
}

private struct EnvironmentView<Content: View>: View, Leaf, Enclosing {
  let content: Content
  let set: (inout EnvironmentValues) -> Void

  typealias Body = Never
  var words: [String] { content.shown }

  func change(_ environment: inout EnvironmentValues) { set(&environment) }
}

extension View {
  public func environment<Value>(
    _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
  ) -> some View {
    EnvironmentView(content: self) { $0[keyPath: keyPath] = value }
  }

  public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some View {
    EnvironmentView(content: self) { $0[object: Object.self] = object }
  }
}
