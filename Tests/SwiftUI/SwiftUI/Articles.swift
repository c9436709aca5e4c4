@_exported public import Foundation

// Modifiers and protocols of SwiftUI that the articles use. They compile, but they do nothing in a host.

extension View {
  public func alert<S: StringProtocol, A: View, M: View, T>(
    _ title: S, isPresented: Binding<Bool>, presenting data: T?,
    @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
  ) -> some View { self }

  public func searchable(text: Binding<String>) -> some View { self }

  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }

  public func sheet<Content: View>(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil,
    @ViewBuilder content: @escaping () -> Content
  ) -> some View { self }
}

extension ForEach {
  public func onDelete(perform action: Optional<(IndexSet) -> Void>) -> some View { self }
}

@MainActor @preconcurrency public protocol PreviewModifier {
  associatedtype Context = Void
  associatedtype Body: View
  typealias Content = PreviewModifierContent

  static func makeSharedContext() async throws -> Context
  @ViewBuilder @MainActor @preconcurrency func body(content: Content, context: Context) -> Body
}

public struct PreviewModifierContent: View, Leaf {
  public typealias Body = Never

  var words: [String] { [] }
}
