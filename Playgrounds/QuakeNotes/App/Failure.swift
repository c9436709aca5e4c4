import Foundation
import SwiftUI

/// An error as an alert shows it.
struct Failure {
  let title: String
  let message: String

  init(_ title: String, _ error: any Error) {
    self.title = title
    let advice = (error as? any LocalizedError)?.recoverySuggestion
    message = [error.localizedDescription, advice ?? ""].joined(separator: "\n")
  }
}

extension View {
  /// Shows a failure until the user has read it.
  func alert(_ failure: Binding<Failure?>) -> some View {
    let isShown = Binding {
      failure.wrappedValue != nil
    } set: { isShown in
      if !isShown { failure.wrappedValue = nil }
    }
    return alert(
      failure.wrappedValue?.title ?? "", isPresented: isShown, presenting: failure.wrappedValue
    ) { _ in
      Button("OK") {}
    } message: {
      Text($0.message)
    }
  }
}
