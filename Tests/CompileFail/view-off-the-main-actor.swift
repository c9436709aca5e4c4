// expect: expression is 'async' but is not marked with 'await'
// The view context is the main actor's: elsewhere it cannot be touched synchronously.
import Strata

@concurrent func roll(_ stack: Stack) async { stack.view.rollback() }
