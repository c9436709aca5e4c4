internal import Strata

extension Stack {
  /// Returns when the view context shows what an import has committed.
  ///
  /// - Throws: ``ImportError`` with the result: what it says is in the store, whatever becomes of the
  ///   view context.
  func showing(_ result: ImportResult) async throws(ImportError) {
    do throws(StoreError) { try await view.mergedOwn(result.commit) } catch {
      var failure = ImportError.store(error)
      failure.result = result
      throw failure
    }
  }
}
