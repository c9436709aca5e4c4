#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  extension EnvironmentValues {
    private struct StackKey: EnvironmentKey {
      static let defaultValue: Stack? = nil
    }

    /// The stack whose entities views show; nil unless `View.stack(_:)` has set it.
    public var stack: Stack? {
      get { self[StackKey.self] }
      set { self[StackKey.self] = newValue }
    }
  }

  extension View {
    /// Lets the views in this view show and edit the entities of a stack.
    ///
    /// The views find the stack as `@Environment(\.stack)` and its view context as
    /// `@Environment(ViewContext.self)`, which ``LiveFetch`` uses.
    public func stack(_ stack: Stack) -> some View {
      environment(\.stack, stack).environment(stack.view)
    }
  }
#endif
