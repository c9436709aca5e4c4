package import Foundation

extension LocalizedError {
  /// The texts as a bridged `NSError` keeps them.
  ///
  /// A `CustomNSError` is asked for them only this way, also by `localizedDescription`.
  package var userInfo: [String: Any] {
    var texts: [String: Any] = [:]
    texts[NSLocalizedDescriptionKey] = errorDescription
    texts[NSLocalizedRecoverySuggestionErrorKey] = recoverySuggestion
    return texts
  }
}
