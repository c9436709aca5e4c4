#if canImport(SwiftUI)
  public import Strata
  public import SwiftUI

  extension EnvironmentValues {
    private struct StackKey: EnvironmentKey {
      static let defaultValue: Stack? = nil
    }

    /// The stack whose entities views show; nil unless `View.strataStack(_:)` has set it.
    public var strataStack: Stack? {
      get { self[StackKey.self] }
      set { self[StackKey.self] = newValue }
    }
  }

  extension View {
    /// Lets the views in this view show and edit the entities of a stack.
    ///
    /// The views find the stack as `@Environment(\.strataStack)` and its view context as
    /// `@Environment(ViewContext.self)`, which ``LiveFetch`` uses.
    public func strataStack(_ stack: Stack) -> some View {
      environment(\.strataStack, stack).environment(stack.viewContext)
    }
  }
#endif
