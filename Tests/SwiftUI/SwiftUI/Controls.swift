public import Foundation

public struct Text: View, Leaf {
  let words: [String]

  public init<S: StringProtocol>(_ content: S) { words = [String(content)] }

  public typealias Body = Never
}

public struct Button: View, Leaf {
  private let title: String
  private let action: @MainActor () -> Void

  public init<S: StringProtocol>(
    _ title: S, action: @escaping @MainActor () -> Void
  ) {
    self.title = String(title)
    self.action = action
  }

  public typealias Body = Never

  var words: [String] {
    if let storage = Storage.current, !storage.isDisabled {
      storage.controls.buttons[title] = action
    }
    return ["[\(title)]"]
  }
}

public struct List<Content: View>: View, Leaf {
  private let rows: [Content]

  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {
    rows = data.map(rowContent)
  }

  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) {
    rows = data.map(rowContent)
  }

  public init(@ViewBuilder content: () -> Content) { rows = [content()] }

  public typealias Body = Never

  var words: [String] { rows.flatMap(\.shown) }
}

public struct ForEach<Content: View>: View, Leaf {
  private let rows: [Content]

  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {
    rows = data.map(content)
  }

  public typealias Body = Never

  var words: [String] { rows.flatMap(\.shown) }
}

public struct Section<Content: View>: View, Leaf {
  private let title: String
  private let content: Content

  public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
    self.title = String(title)
    self.content = content()
  }

  public typealias Body = Never

  var words: [String] { ["# \(title)"] + content.shown }
}

extension View {
  public func disabled(_ disabled: Bool) -> some View {
    Disabled(content: self, isDisabled: disabled)
  }
}

private struct Disabled<Content: View>: View, Leaf {
  let content: Content
  let isDisabled: Bool

  typealias Body = Never

  var words: [String] {
    let storage = Storage.current
    let outer = storage?.isDisabled ?? false
    storage?.isDisabled = outer || isDisabled
    defer { storage?.isDisabled = outer }
    return content.shown.map { isDisabled ? "(\($0))" : $0 }
  }
}

extension ForEach {
  public func onDelete(perform action: Optional<(IndexSet) -> Void>) -> some View {
    Deletable(content: self, action: action)
  }
}

private struct Deletable<Content: View>: View, Leaf {
  let content: Content
  let action: ((IndexSet) -> Void)?

  typealias Body = Never

  var words: [String] {
    if let action, let storage = Storage.current, storage.controls.delete == nil {
      storage.controls.delete = action
    }
    return content.shown
  }
}
