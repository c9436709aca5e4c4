import Foundation
public import Observation

/// A host that shows one view, and the views inside it.
///
/// The host keeps the state of the views when they are made again. It evaluates them when a value that
/// they have read changes.
@MainActor public final class Host {
  private let storage = Storage()
  private var show: () -> [String] = { [] }
  /// The words that the views show. A disabled button's words are in parentheses.
  public private(set) var words: [String] = []
  /// How many times the views were evaluated.
  public private(set) var evaluations = 0

  public init() {}

  /// Shows a view in place of the view before, as a parent does when it is evaluated.
  public func show(_ view: some View) {
    show = { view.shown }
    evaluate()
  }

  /// Does what a tap on a button does.
  ///
  /// - Returns: whether there is such a button that is not disabled.
  @discardableResult public func tap(_ title: String) -> Bool {
    guard let action = storage.controls.buttons[title] else { return false }
    action()
    return true
  }

  /// Enters a text in a field.
  ///
  /// - Parameters:
  ///   - text: the text that replaces the field's text.
  ///   - title: the field's title; "Search" for the field that `searchable` adds.
  ///   - number: the position of the field among the fields of this title.
  /// - Returns: whether there is such a field.
  @discardableResult public func enter(_ text: String, in title: String, _ number: Int = 0) -> Bool
  {
    guard let fields = storage.controls.fields[title], fields.indices.contains(number) else {
      return false
    }
    fields[number].wrappedValue = text
    return true
  }

  /// Does what a swipe over a row does: it deletes the row of the first list that can.
  @discardableResult public func delete(at offset: Int) -> Bool {
    guard let delete = storage.controls.delete else { return false }
    delete(IndexSet(integer: offset))
    return true
  }

  /// Pulls to refresh, and returns when the action has ended.
  @discardableResult public func pull() async -> Bool {
    guard let refresh = storage.controls.refresh else { return false }
    await refresh()
    return true
  }

  private func evaluate() {
    evaluations += 1
    storage.begin()
    Storage.current = storage
    words = withObservationTracking(show) { [weak self] in
      Task { @MainActor in self?.evaluate() }
    }
    Storage.current = nil
    storage.appear()
  }
}

/// The controls of the views that a host shows, and the actions behind them.
struct Controls {
  var buttons: [String: @MainActor () -> Void] = [:]
  var fields: [String: [Binding<String>]] = [:]
  var delete: ((IndexSet) -> Void)?
  var refresh: (@Sendable () async -> Void)?
  /// The actions of `task`, by the places of their views.
  var tasks: [String: @Sendable () async -> Void] = [:]
}

/// The storage of the views in a host: their states by their places, and the environment.
@MainActor final class Storage {
  /// The storage of the host that evaluates its views now.
  static var current: Storage?

  var states: [String: Any] = [:]
  var environment = EnvironmentValues()
  /// The place of the property or of the view that is evaluated.
  var place = ""
  var controls = Controls()
  var isDisabled = false
  /// How many views of each type were met in each place.
  private var counts: [String: Int] = [:]
  /// The places whose tasks were started.
  private var started: Set<String> = []

  func begin() {
    (place, controls, isDisabled) = ("", Controls(), false)
    counts = [:]
  }

  /// Starts the tasks of the views that were not there before.
  func appear() {
    for (place, action) in controls.tasks where started.insert(place).inserted {
      Task { await action() }
    }
  }

  /// Connects the properties of a view, and evaluates its body in a place of its own.
  func evaluate<V: View>(_ view: V) -> [String] {
    inPlace(of: V.self) {
      connect(view, place)
      return view.body.shown
    }
  }

  /// Evaluates a part of a view in a place that is the same in every evaluation.
  func inPlace<R>(of part: Any.Type, _ body: () -> R) -> R {
    let outer = place
    let name = "\(outer)/\(part)"
    counts[name, default: 0] += 1
    place = "\(name)#\(counts[name]!)"
    defer { place = outer }
    return body()
  }

  /// Evaluates views in another environment.
  func with<R>(_ change: (inout EnvironmentValues) -> Void, _ body: () -> R) -> R {
    let outer = environment
    change(&environment)
    defer { environment = outer }
    return body()
  }

  /// Connects the properties of a view, and the properties inside them.
  private func connect(_ value: Any, _ place: String) {
    for child in Mirror(reflecting: value).children {
      let inner = "\(place).\(child.label ?? "")"
      if let property = child.value as? any HostedProperty {
        property.connect(to: self, at: inner)
      } else if child.value is any DynamicProperty {
        connect(child.value, inner)
      }
    }
  }
}

private struct EnvironmentView<Content: View>: View, Leaf {
  let content: Content
  let set: (inout EnvironmentValues) -> Void

  typealias Body = Never
  var words: [String] { Storage.current?.with(set) { content.shown } ?? content.shown }
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
