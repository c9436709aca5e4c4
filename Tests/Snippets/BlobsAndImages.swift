// The declarations that the snippets in the article BlobsAndImages use.

private struct Photo: Entity {
  var id = Key<Photo>()
  var caption = ""
  var taken = Date.now

  static let schema = Schema<Photo>("photos", key: \.id) {
    Attribute(\.caption)
    Attribute(\.taken)
  }
}

private struct PhotoBytes: Entity {
  var id = Photo.ID()
  var photoID = Photo.ID()
  var data = Data()

  static let schema = Schema<PhotoBytes>("photo_bytes", key: \.id) {
    toOne(\.photoID, Photo.self, onDelete: .cascade)
    Attribute(\.data)
  }
}

private let folder = URL(filePath: "/")
