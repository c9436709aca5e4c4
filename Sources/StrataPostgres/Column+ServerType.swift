#if Postgres
  internal import Foundation
  internal import Strata

  extension Column {
    /// The type of the column in a table that is made on the server.
    ///
    /// Texts have the order of the store, which compares bytes.
    var serverType: String {
      switch valueType {
      case is Bool.Type, is Bool?.Type: return "bool"
      case is Date.Type, is Date?.Type: return "timestamptz"
      case is UUID.Type, is UUID?.Type, is any UUIDLayout.Type, is any OptionalUUIDLayout.Type:
        return "uuid"
      default: break
      }
      switch storage {
      case .integer: return "int8"
      case .real: return "float8"
      case .text: return "text COLLATE \"C\""
      case .blob: return "bytea"
      }
    }
  }
#endif
