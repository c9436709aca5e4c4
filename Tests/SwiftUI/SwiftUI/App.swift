// Other declarations of SwiftUI that the articles use. They compile, but they do nothing in a host.

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  init()
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

  public init<S: StringProtocol>(_ title: S, text: Binding<String>) { self.title = String(title) }

  public typealias Body = Never

  var words: [String] { ["<\(title)>"] }
}

extension View {
  public func task(_ action: sending @escaping @isolated(any) () async -> Void) -> some View {
    self
  }

  public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }

  public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
  ) -> some View { self }
}
