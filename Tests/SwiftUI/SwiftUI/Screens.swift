public import Foundation

// Stacks, forms and toolbars, and the modifiers that a host acts on: alerts, sheets, tasks, refreshes.

public struct NavigationPath {}

public struct NavigationStack<Data, Root: View>: View, Leaf {
  private let root: Root

  public init(@ViewBuilder root: () -> Root) where Data == NavigationPath { self.root = root() }

  public typealias Body = Never

  var words: [String] { root.shown }
}

public struct NavigationLink<Label: View, Destination: View>: View, Leaf {
  private let label: Label

  public init<P: Hashable>(value: P?, @ViewBuilder label: () -> Label)
  where Destination == Never { self.label = label() }

  public typealias Body = Never

  var words: [String] { label.shown }
}

public struct VStack<Content: View>: View, Leaf {
  private let content: Content

  public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) { self.content = content() }

  public typealias Body = Never

  var words: [String] { content.shown }
}

public enum HorizontalAlignment { case leading, center, trailing }

public enum Alignment { case center }

public struct Form<Content: View>: View, Leaf {
  private let content: Content

  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  public typealias Body = Never

  var words: [String] { content.shown }
}

public struct ContentUnavailableView: View, Leaf {
  private let title: String

  public init<S: StringProtocol>(
    _ title: S, systemImage: String, description: Text? = nil
  ) { self.title = String(title) }

  public typealias Body = Never

  var words: [String] { [title] }
}

/// A view with another view's words behind its own.
private struct Joined<Content: View, Other: View>: View, Leaf {
  let content: Content
  let other: Other

  typealias Body = Never
  var words: [String] { content.shown + other.shown }
}

/// A view that notes an action while it is evaluated.
private struct Acting<Content: View>: View, Leaf {
  let content: Content
  let note: (Storage) -> Void

  typealias Body = Never
  var words: [String] {
    guard let storage = Storage.current else { return content.shown }
    return storage.inPlace(of: Self.self) {
      note(storage)
      return content.shown
    }
  }
}

/// A view that is inside another view's sheet.
private struct InSheet<Content: View>: View, Leaf {
  let content: Content
  let dismiss: DismissAction

  typealias Body = Never
  var words: [String] {
    guard let storage = Storage.current else { return content.shown }
    return storage.with {
      $0.dismiss = dismiss
    } _: {
      content.shown
    }
  }
}

extension View {
  public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void)
    -> some View
  {
    Acting(content: self) { $0.controls.tasks[$0.place] = action }
  }

  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
    Acting(content: self) { $0.controls.refresh = action }
  }

  public func searchable(text: Binding<String>) -> some View {
    Acting(content: self) { $0.controls.fields["Search", default: []].append(text) }
  }

  public func overlay<V: View>(
    alignment: Alignment = .center, @ViewBuilder content: () -> V
  ) -> some View {
    Joined(content: self, other: content())
  }

  public func alert<S: StringProtocol, A: View, M: View, T>(
    _ title: S, isPresented: Binding<Bool>, presenting data: T?,
    @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
  ) -> some View {
    let shown = isPresented.wrappedValue ? data : nil
    let text = shown.map {
      TupleView(
        Text("! \(title)"), message($0), Closing(content: actions($0), isShown: isPresented))
    }
    return Joined(content: self, other: text)
  }

  public func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View {
    let dismiss = DismissAction { isPresented.wrappedValue = false }
    let sheet = isPresented.wrappedValue ? InSheet(content: content(), dismiss: dismiss) : nil
    return Joined(content: self, other: sheet)
  }

  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View {
    let dismiss = DismissAction { item.wrappedValue = nil }
    let sheet = item.wrappedValue.map { InSheet(content: content($0), dismiss: dismiss) }
    return Joined(content: self, other: sheet)
  }

  public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View {
    Joined(content: self, other: content())
  }

  public func toolbar<Content: ToolbarContent>(
    @ToolbarContentBuilder content: () -> Content
  ) -> some View {
    Joined(content: self, other: content().body)
  }
}

/// The buttons of an alert. A tap on any of them closes it.
private struct Closing<Content: View>: View, Leaf {
  let content: Content
  let isShown: Binding<Bool>

  typealias Body = Never
  var words: [String] {
    guard let storage = Storage.current else { return content.shown }
    let outer = storage.controls.buttons
    storage.controls.buttons = [:]
    let words = content.shown
    let inner = storage.controls.buttons.mapValues { action in
      {
        @MainActor in
        isShown.wrappedValue = false
        action()
      }
    }
    storage.controls.buttons = outer.merging(inner) { $1 }
    return words
  }
}

@MainActor @preconcurrency public protocol ToolbarContent {
  associatedtype Body: View
  var body: Body { get }
}

public struct ToolbarItem<Content: View>: ToolbarContent {
  public let body: Content

  public init(
    placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content
  ) { body = content() }
}

public enum ToolbarItemPlacement { case automatic, cancellationAction, confirmationAction }

public struct ToolbarContents<each Content: ToolbarContent>: ToolbarContent {
  let contents: (repeat each Content)

  public var body: TupleView<repeat (each Content).Body> {
    TupleView(repeat (each contents).body)
  }
}

@MainActor @resultBuilder public enum ToolbarContentBuilder {
  public static func buildBlock<each Content: ToolbarContent>(
    _ content: repeat each Content
  ) -> ToolbarContents<repeat each Content> { ToolbarContents(contents: (repeat each content)) }

  public static func buildExpression<Content: ToolbarContent>(_ content: Content) -> Content {
    content
  }
}
