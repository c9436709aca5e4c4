/// A reference to an object that several users share, as long as one of them has it.
final class WeakReference: Sendable {
  private struct Held {
    weak var object: (any AnyObject & Sendable)?
  }

  private let held = Lock(Held())

  init() {}

  /// Whether a user has the object.
  var isHeld: Bool { held.withLock { $0.object != nil } }

  /// Returns the object; makes it if no user has it.
  func object<Object: AnyObject & Sendable>(_ make: () -> Object) -> Object {
    held.withLock { held in
      if let object = held.object as? Object { return object }
      let object = make()
      held.object = object
      return object
    }
  }
}
