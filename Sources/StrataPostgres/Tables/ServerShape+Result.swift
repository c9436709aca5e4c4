#if Postgres
  extension ServerShape {
    /// Reads the result of ``select``.
    static func all(_ result: PostgresResult) -> [ServerShape] {
      (0..<result.count).compactMap { row in
        guard let number = result.text(row, 0).flatMap({ Int($0) }),
          let relation = result.text(row, 1).flatMap({ UInt32($0) })
        else { return nil }
        return ServerShape(
          number: number, relation: relation, schema: result.text(row, 2) ?? "",
          name: result.text(row, 3) ?? "", columns: result.text(row, 4) ?? "",
          unseen: result.text(row, 5), isKeyed: result.text(row, 6) == "t",
          fingerprint: result.text(row, 7) ?? "", place: result.text(row, 8).flatMap { Int($0) })
      }
    }
  }
#endif
