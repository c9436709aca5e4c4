internal import Foundation

extension URL {
  /// The path of a store.
  ///
  /// - Throws: ``StoreError`` with code `cannotOpen` if the URL is not the URL of a file.
  var storePath: String {
    get throws(StoreError) {
      if isFileURL { return path }
      throw StoreError(
        .cannotOpen, "\(absoluteString) is not the URL of a file",
        advice: "make the URL with URL(filePath:)")
    }
  }
}
