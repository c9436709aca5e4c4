import Foundation
import StrataImport
import SwiftUI

struct QuakeScreen: View {
  let refresher: Refresher
  @State private var text = ""
  @State private var failure: Failure?

  var body: some View {
    NavigationStack {
      QuakeList(matching: text)
        .navigationTitle("Earthquakes")
        .navigationDestination(for: Quake.ID.self) { QuakeDetail(id: $0) }
        .searchable(text: $text)
        .toolbar { EditButtons() }
        .task { await refresh(ifOlderThan: .seconds(300)) }
        .refreshable { await refresh() }
        .alert($failure)
    }
  }

  private func refresh(ifOlderThan age: Duration? = nil) async {
    do {
      try await refresher.refresh(.quakes, ifOlderThan: age)
    } catch let error as ImportError where error.code == .cancelled {
      // The user has left the screen.
    } catch {
      failure = Failure("No new earthquakes", error)
    }
  }
}
