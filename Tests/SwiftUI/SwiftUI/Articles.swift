@_exported public import Foundation

// Modifiers and protocols of SwiftUI that compile, but do nothing in a host.

extension View {
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }

  public func onChange<V: Equatable>(
    of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
  ) -> some View { self }

  public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { self }

  public func navigationDestination<D: Hashable, C: View>(
    for data: D.Type, @ViewBuilder destination: @escaping (D) -> C
  ) -> some View { self }

  public func font(_ font: Font?) -> some View { self }

  public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { self }
}

public struct Font: Hashable, Sendable {
  public static let headline = Font()
  public static let caption = Font()
}

public protocol ShapeStyle {}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var secondary: HierarchicalShapeStyle { HierarchicalShapeStyle() }
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
