import Foundation
import Strata
import StrataImport
import StrataSwiftUI
import SwiftUI

@main struct QuakeNotesApp: App {
  @State private var stack: Stack?
  @State private var refresher: Refresher?
  @State private var failure: Failure?

  var body: some Scene {
    WindowGroup {
      if let stack, let refresher {
        QuakeScreen(refresher: refresher).strataStack(stack)
      } else if let failure {
        Text(failure.message)
        Button("Try again") { self.failure = nil }
      } else {
        ProgressView().task { await open() }
      }
    }
  }

  private func open() async {
    do {
      let folder = URL.applicationSupportDirectory.appending(path: "QuakeNotes")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let stack = try await Stack.open(
        Quake.self, Note.self, at: folder.appending(path: "quakes.store"))
      refresher = Refresher(stack)
      self.stack = stack
    } catch {
      failure = Failure("No notes", error)
    }
  }
}
