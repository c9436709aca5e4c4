import Foundation
import Strata
import SwiftUI

/// The buttons of a toolbar that take edits back, or save what could not be saved.
struct EditButtons: View {
  @Environment(ViewContext.self) private var view
  @State private var failure: Failure?

  var body: some View {
    Button("Undo") {
      view.undo()
      save()
    }
    .disabled(!view.canUndo)
    .alert($failure)
    Button("Redo") {
      view.redo()
      save()
    }
    .disabled(!view.canRedo)
    if view.hasChanges && !view.isSaving {
      Button("Save") { save() }
    }
  }

  private func save() {
    Task {
      do {
        try await view.save()
      } catch {
        failure = Failure("Not saved", error)
      }
    }
  }
}
