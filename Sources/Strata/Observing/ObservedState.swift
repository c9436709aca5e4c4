internal import Observation

/// What views observe of an object whose type is generic.
///
/// Swift makes the key path of a generic type anew at each use, which costs more than the access that
/// it names. This type is not generic, so its key path is made once.
@MainActor
final class ObservedState: Observable {
  private let registrar = ObservationRegistrar()
  private var state: Void { () }

  func access() { registrar.access(self, keyPath: \.state) }

  func change(_ body: () -> Void) {
    registrar.willSet(self, keyPath: \.state)
    body()
    registrar.didSet(self, keyPath: \.state)
  }
}
