import StrataTestTurns
import Testing

@testable import Strata

/// The save of a context: every state meets every event.
@Suite(.inTurn) struct ContextSaveTests {
  @Test func `an idle context has no save to end`() {
    var save = ContextSave()
    #expect(save.cargo == nil)
    #expect(save.committed(1) == nil)
    #expect(save.failed() == nil)
  }

  @Test func `a save ends with the merge turn that shows it`() {
    var save = ContextSave()
    let cargo = save.begin(Layer(), firstPart: 3)
    #expect(save.cargo?.id == cargo.id && cargo.firstPart == 3)
    #expect(save.committed(cargo.id + 1) == nil)
    #expect(save.cargo?.id == cargo.id)
    #expect(save.committed(cargo.id)?.firstPart == 3)
    #expect(save.cargo == nil)
    #expect(save.committed(cargo.id) == nil)
  }

  @Test func `a save ends when the writer refuses it`() {
    var save = ContextSave()
    let cargo = save.begin(Layer(), firstPart: 0)
    #expect(save.failed()?.id == cargo.id)
    #expect(save.cargo == nil)
  }

  @Test func `saves have numbers of their own`() {
    var save = ContextSave()
    let first = save.begin(Layer(), firstPart: 0)
    _ = save.failed()
    #expect(save.begin(Layer(), firstPart: 0).id != first.id)
  }

  @Test func `a save does not begin during another one`() async {
    await #expect(processExitsWith: .failure) {
      var save = ContextSave()
      _ = save.begin(Layer(), firstPart: 0)
      _ = save.begin(Layer(), firstPart: 0)
    }
  }
}
