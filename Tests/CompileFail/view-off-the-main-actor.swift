// expect: expression is 'async' but is not marked with 'await'
// The view context belongs to the main actor. Other code cannot use it synchronously.
import Strata

@concurrent func roll(_ stack: Stack) async { stack.viewContext.rollback() }
