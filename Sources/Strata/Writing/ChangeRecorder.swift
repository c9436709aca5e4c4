/// A recorder of a commit's changes in a guest table, inside the commit's transaction.
protocol ChangeRecorder {
  func record(_ changes: ContiguousArray<RowChange>, of table: Table) throws(StoreError)
}
