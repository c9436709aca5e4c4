// The declarations that the app's files find in Foundation on Apple's platforms alone.

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
  import Foundation

  extension URL {
    static var applicationSupportDirectory: URL { temporaryDirectory }
  }
#endif
