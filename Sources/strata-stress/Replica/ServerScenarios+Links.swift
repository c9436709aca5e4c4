#if Postgres
  import Foundation
  import LocalPostgres
  import Strata
  import StrataPostgres
  import StrataReplica

  extension ServerScenarios {
    /// Links between entities whose keys have each type that a server can have, in tables that replicas
    /// make and in one that was there before.
    mutating func links() async throws {
      let entities: [any Entity.Type] = [Album.self, Mood.self, Crate.self, Sticker.self]
      try cluster.query(
        """
        CREATE TABLE crates (id uuid PRIMARY KEY);
        CREATE TABLE stickers (id bytea PRIMARY KEY, color text NOT NULL);
        CREATE TABLE crate_sticker (crate_id uuid NOT NULL REFERENCES crates ON DELETE CASCADE,
          sticker_id bytea NOT NULL REFERENCES stickers ON DELETE CASCADE, PRIMARY KEY (crate_id, sticker_id));
        """)
      let tables = [
        ServerTable(
          linksOf: Crate.stickers, name: "crate_sticker",
          columns: ["owner": "crate_id", "target": "sticker_id"])
      ]
      // The advice is the statement that makes the table fit.
      if let advice = await advice(entities, tables) { try cluster.query(advice) }
      try await StrataPostgres.prepare(cluster.target, for: entities, tables: tables)

      let (here, there) = (
        try await open("here", entities, tables: tables),
        try await open("there", entities, tables: tables)
      )
      let (crate, sticker) = (Crate(), Sticker(id: Data([0, 255, 92])))
      try await here.stack.withScratch { context in
        for id in [-3, 0, .max] { context.insert(Album(id: id)) }
        for id in ["", "grün", "a\\b'c"] { context.insert(Mood(id: id)) }
        context.insert(crate)
        context.insert(sticker)
        for mood in ["grün", "", "a\\b'c"] { context.link(-3, to: mood, in: Album.moods) }
        context.link(.max, to: "grün", in: Album.moods)
        context.link(crate, to: sticker, in: Crate.stickers)
      }
      try await here.replica.settled()
      // A role that has only the rights on the tables computes the keys of links, too.
      try cluster.query(
        """
        CREATE ROLE plain; GRANT SELECT, INSERT ON albums_moods, crate_sticker TO plain; SET ROLE plain;
        INSERT INTO albums_moods (owner, target) VALUES (-3, ''), (0, '') ON CONFLICT DO NOTHING;
        INSERT INTO crate_sticker SELECT crate_id, sticker_id FROM crate_sticker ON CONFLICT DO NOTHING;
        """)
      for host in [here, there] {
        try await host.replica.caughtUp()
        let moods = try await host.stack.fetch(Album.moods(of: -3)).map(\.id)
        check(moods, ["grün", "", "a\\b'c"], "an order of links")
        check(try await host.stack.fetch(Album.moods(of: 0)).map(\.id), [""], "a link by psql")
        let stickers = try await host.stack.fetch(Crate.stickers(of: crate))
        check(stickers, [sticker], "a link in a table of the server")
        check(try await host.replica.verify().count, 0, "links that differ")
      }

      // An end is deleted on the server while it is linked here.
      await there.replica.close()
      try await there.stack.withScratch { context in
        context.link(0, to: "grün", in: Album.moods)
        context.unlink(-3, from: "", in: Album.moods)
      }
      try cluster.query("DELETE FROM moods WHERE id = 'grün'")
      let back = Host(
        stack: there.stack,
        replica: try await Replica.open(
          there.stack, from: .postgres(cluster.target, tables: tables)))
      try await back.replica.settled()
      try await back.replica.caughtUp()
      try await here.replica.caughtUp()
      check(try await back.replica.refused().count, 0, "refused links")
      for host in [here, back] {
        check(
          try await host.stack.fetch(Album.moods(of: -3)).map(\.id), ["a\\b'c"],
          "the links of deleted rows")
        check(try await host.stack.fetch(Album.moods(of: 0)).map(\.id), [""], "the other links")
        await host.close()
      }
      check(
        try cluster.query("SELECT owner || ' ' || target FROM albums_moods ORDER BY owner"),
        ["-3 a\\b'c", "0 "], "the server's links")
    }

    /// Returns what to do before the server can be prepared; nil if it is prepared.
    private func advice(
      _ entities: [any Entity.Type], _ tables: [ServerTable]
    ) async -> String? {
      do throws(ReplicaError) {
        try await StrataPostgres.prepare(cluster.target, for: entities, tables: tables)
        return nil
      } catch {
        return error.advice
      }
    }
  }

  private struct Album: Entity, Equatable {
    var id = 0

    static let moods = manyToMany(Mood.self, ordered: true)
    static let schema = Schema<Album>("albums", key: \.id) { moods }
  }

  private struct Mood: Entity, Equatable {
    var id = ""
    var rank = 0

    static let schema = Schema<Mood>("moods", key: \.id) { Attribute(\.rank) }
  }

  private struct Crate: Entity, Equatable {
    var id = UUID()

    static let stickers = manyToMany(Sticker.self)
    static let schema = Schema<Crate>("crates", key: \.id) { stickers }
  }

  private struct Sticker: Entity, Equatable {
    var id = Data()
    var color = ""

    static let schema = Schema<Sticker>("stickers", key: \.id) { Attribute(\.color) }
  }
#endif
