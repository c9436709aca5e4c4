import Foundation
import Strata
import StrataSwiftUI
import SwiftUI

/// The earthquakes at the places that have a text in their name, the newest first.
struct QuakeList: View {
  @LiveFetch private var quakes: LiveElements<Quake>
  @LiveAggregate(.count, of: Note.all.grouped(by: \.quakeID)) private var notes

  init(matching text: String) {
    _quakes = LiveFetch(
      Quake.where { text.isEmpty ? true : $0.place.ignoringCase.contains(text) }
        .sorted(by: \.time, order: .reverse))
  }

  var body: some View {
    List(quakes) { quake in
      NavigationLink(value: quake.id) {
        QuakeRow(quake: quake, notes: notes?[quake.id] ?? 0)
      }
    }
    .overlay {
      if quakes.isEmpty && $quakes.isLoaded {
        ContentUnavailableView("No earthquakes", systemImage: "globe")
      }
    }
  }
}

struct QuakeRow: View {
  let quake: Quake
  let notes: Int

  var body: some View {
    VStack(alignment: .leading) {
      Text("\(magnitude) · \(quake.place ?? "somewhere")").font(.headline)
      Text("\(quake.time.formatted()), notes: \(notes)").foregroundStyle(.secondary)
    }
  }

  private var magnitude: String {
    quake.magnitude?.formatted(.number.precision(.fractionLength(1))) ?? "?"
  }
}
