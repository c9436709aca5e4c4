// The scenes of an app, and fields.

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  init()
}

extension App {
  /// A program of Linux has no window, so an app ends at once.
  public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {}

@MainActor @resultBuilder public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}

public struct ProgressView: View, Leaf {
  public init() {}

  public typealias Body = Never

  var words: [String] { ["…"] }
}

@MainActor @preconcurrency @propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  private let read: @MainActor () -> Value
  private let write: @MainActor (Value) -> Void

  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    read = get
    write = set
  }

  public var wrappedValue: Value {
    get { read() }
    nonmutating set { write(newValue) }
  }

  public var projectedValue: Binding { self }

  public subscript<Part>(dynamicMember path: WritableKeyPath<Value, Part>) -> Binding<Part> {
    Binding<Part> {
      read()[keyPath: path]
    } set: {
      wrappedValue[keyPath: path] = $0
    }
  }
}

public struct TextField: View, Leaf {
  private let title: String
  private let text: Binding<String>

  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {
    self.title = String(title)
    self.text = text
  }

  public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) {
    self.init(title, text: text)
  }

  public typealias Body = Never

  var words: [String] {
    Storage.current?.controls.fields[title, default: []].append(text)
    return ["<\(text.wrappedValue.isEmpty ? title : text.wrappedValue)>"]
  }
}

public enum Axis { case horizontal, vertical }
