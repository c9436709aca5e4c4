import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension CancelOperation {
  static let places: [CancelOperation] = [
    CancelOperation("search") { site in
      try await Place.withStore(site) { stack in
        let even = try await stack.fetch(Place.all.matching("even").sortedByRelevance())
        try CancelSurprise.unless(even.count == Place.count / 2, "\(even.count) even places")
        let scratch = stack.makeScratch()
        scratch.insert(Place(id: 1000, text: "an even newer one"))
        let more = try await scratch.fetch(Place.all.matching("even"))
        try CancelSurprise.unless(more.count == even.count + 1, "\(more.count) with the new one")
        let excerpts = try await stack.search(Place.all.matching("even"), excerptLength: 8)
        try CancelSurprise.unless(excerpts.count == even.count, "\(excerpts.count) excerpts")
      }
    },
    CancelOperation("nearest") { site in
      try await Place.withStore(site) { stack in
        let middle = Coordinate(latitude: 7.1, longitude: 10)
        let near = try await stack.fetch(Place.nearest(to: middle, by: Place.location).limit(3))
        try CancelSurprise.unless(near.map(\.id) == [7, 8, 6], "\(near.map(\.id)) nearest")
        let query = Place.where { $0.location.isWithin(meters: 200_000, of: middle) }
        let around = try await stack.fetch(query)
        try CancelSurprise.unless(around.count == 3, "\(around.count) around")
      }
    },
    CancelOperation("ordered links") { site in
      try await Place.withStore(site) { stack in
        let place = Place(id: 3)
        let before = try await stack.fetch(Place.tags(of: place)).map(\.id)
        let orders = [[0, 1, 2, 3, 4], [4, 0, 1, 2, 3]]
        try CancelSurprise.unless(orders.contains(before), "links in the order \(before)")
        let scratch = stack.makeScratch()
        try await scratch.link(place, to: Tag(id: 4), at: 0, in: Place.tags)
        try await stack.viewContext.waitUntilMerged(try await scratch.save())
        let after = try await stack.viewContext.fetch(Place.tags(of: place)).map(\.id)
        try CancelSurprise.unless(after == orders[1], "links in the order \(after)")
      }
    },
    CancelOperation("ordered rows") { site in
      try await Place.withStore(site) { stack in
        let place = Place(id: 4)
        let scratch = stack.makeScratch()
        if try await scratch.find(Photo.self, 1000) == nil {
          try await scratch.insert(Photo(id: 1000), at: 0, in: Place.photos, of: place)
        }
        guard let last = try await scratch.find(Photo.self, 9) else { return }
        try await scratch.move(last, to: 0, in: Place.photos, of: place)
        try await stack.viewContext.waitUntilMerged(try await scratch.save())
        let order = try await stack.viewContext.fetch(Place.photos(of: place)).map(\.id)
        try CancelSurprise.unless(order == [9, 1000, 8], "photos in the order \(order)")
      }
    },
    CancelOperation("order in the view context") { @MainActor site in
      try await Place.withStore(site) { @MainActor stack in
        let (view, place) = (stack.viewContext, Place(id: 5))
        if try await view.find(Photo.self, 1001) == nil {
          try await view.insert(Photo(id: 1001), at: 0, in: Place.photos, of: place)
        }
        guard let last = try await view.find(Photo.self, 11) else { return }
        try await view.move(last, to: 0, in: Place.photos, of: place)
        try await view.link(place, to: Tag(id: 4), at: 0, in: Place.tags)
        try await view.save()
        let order = try await view.fetch(Place.photos(of: place)).map(\.id)
        try CancelSurprise.unless(order == [11, 1001, 10], "photos in the order \(order)")
        let tags = try await view.fetch(Place.tags(of: place)).map(\.id)
        try CancelSurprise.unless(tags == [4, 0, 1, 2, 3], "links in the order \(tags)")
      }
    },
  ]

  static let feeds: [CancelOperation] = [
    CancelOperation(
      "refresh", part: .someNotes, effect: { $0.notes.formUnion(FeedServer.notes) }
    ) { site in
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [FeedServer.self]
      guard let url = URL(string: "http://feed.invalid/notes") else { return }
      var feed = Feed("notes", Note.self, from: URLRequest(url: url))
      feed.options.longestTransaction = .microseconds(200)
      let refresher = Refresher(site.stack, transport: .urlSession(configuration))
      let monitor = ImportMonitor()
      async let isOver: Void = { for await _ in monitor.updates {} }()
      try await refresher.refresh(feed, ifOlderThan: .zero, monitor: monitor)
      await isOver
    }
  ]

  static let migrations: [CancelOperation] = [
    CancelOperation("migrate") { site in
      let copy = site.store.appendingPathExtension("migrating")
      if !FileManager.default.fileExists(atPath: copy.path) {
        try FileManager.default.copyItem(at: site.store, to: copy)
      }
      var options = Stack.Options()
      options.schemaVersion = Next.version
      let stack = try await Stack.open(Next.entities, at: copy, options: options)
      let found = try await stack.closing {
        try await stack.fetch(Next.Account.all).reduce(0) { $0 + $1.balance }
      }
      try CancelSurprise.unless(
        found == Double(FaultTemplate.accounts * 1000), "\(found) in all after the migration")
    }
  ]
}

/// A URL protocol that answers every request with the same notes.
private final class FeedServer: URLProtocol {
  static let notes = 3000..<3200

  override static func canInit(with request: URLRequest) -> Bool { true }
  override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}

  override func startLoading() {
    guard let url = request.url,
      let response = HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
    else { return }
    let notes = Self.notes.map { #"{"id":\#($0),"text":"note \#($0)","deleter":1}"# }
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: Data("[\(notes.joined(separator: ","))]".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}
