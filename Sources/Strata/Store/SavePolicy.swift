/// What a save does about attributes that somebody else changed meanwhile.
///
/// An attribute conflicts if it was edited, the store's value differs from the one before the
/// edit, and differs from the one after. What this save did not edit is never overwritten.
public enum SavePolicy: Sendable {
  /// The save fails with `StoreError.Code.conflict`, which lists every conflict; nothing is
  /// written and every edit stays.
  case error
  /// The edited attributes are written as this context has them; a deleted entity that was edited
  /// here is there again.
  case overwrite
}
