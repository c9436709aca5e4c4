import Strata

extension PlainRows.Outcome {
  /// The rows of a save that was not refused.
  var rows: PlainRows? { if case .saved(let rows) = self { rows } else { nil } }

  /// The codes of refused saves.
  static let codes: Set<StoreError.Code> = [
    .conflict, .deleteDenied, .missingReference, .uniquenessViolated,
  ]

  /// The code of the error of a refused save.
  var code: StoreError.Code? {
    switch self {
    case .saved: nil
    case .conflict: .conflict
    case .deleteDenied: .deleteDenied
    case .missingReference: .missingReference
    case .uniquenessViolated: .uniquenessViolated
    }
  }
}
