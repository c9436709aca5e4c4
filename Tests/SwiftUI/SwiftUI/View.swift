// The declarations of SwiftUI that Strata and its check use, with their signatures.

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public typealias Body = Never
}

public struct EmptyView: View, Leaf {
  public init() {}

  public typealias Body = Never

  var words: [String] { [] }
}

extension View where Body == Never {
  public var body: Never { return fatalError("a view without a body") }
}

@MainActor @resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<repeat each Content> {
    TupleView(repeat each content)
  }

  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> ConditionalView<First, Second> { .first(first) }

  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> ConditionalView<First, Second> { .second(second) }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

extension Optional: Leaf where Wrapped: View {
  var words: [String] { self?.shown ?? [] }
}

/// A view without a body. A host shows its words, and the words of the views inside it.
@MainActor protocol Leaf {
  var words: [String] { get }
}

public struct TupleView<each Content: View>: View, Leaf {
  let content: (repeat each Content)

  init(_ content: repeat each Content) { self.content = (repeat each content) }

  public typealias Body = Never

  var words: [String] {
    var all: [String] = []
    for view in repeat each content { all += view.shown }
    return all
  }
}

public enum ConditionalView<First: View, Second: View>: View, Leaf {
  case first(First)
  case second(Second)

  public typealias Body = Never

  var words: [String] {
    switch self {
    case .first(let view): view.shown
    case .second(let view): view.shown
    }
  }
}

extension View {
  /// The words that a host shows for the view.
  var shown: [String] {
    if let leaf = self as? any Leaf { return leaf.words }
    return Storage.current?.evaluate(self) ?? body.shown
  }
}
