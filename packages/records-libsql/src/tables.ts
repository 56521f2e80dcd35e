import type { Tables } from "./database.js"

/** The tables of a record store. Their triggers keep the sums. A removal is noted, so that other processes see it. */
export const TABLES: Tables = {
  name: "the record store",
  version: 1,
  schema: `
    CREATE TABLE collections (
      name TEXT PRIMARY KEY, revision INTEGER NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE owners (
      collection TEXT NOT NULL, owner TEXT NOT NULL, records INTEGER NOT NULL, bytes INTEGER NOT NULL,
      PRIMARY KEY (collection, owner)
    ) WITHOUT ROWID;
    CREATE INDEX owners_by_bytes ON owners (collection, bytes);
    CREATE TABLE records (
      collection TEXT NOT NULL, key TEXT NOT NULL, owner TEXT NOT NULL, value TEXT NOT NULL, bytes INTEGER NOT NULL,
      revision INTEGER NOT NULL, place INTEGER NOT NULL, life REAL NOT NULL, created_at INTEGER NOT NULL,
      expires_at REAL NOT NULL, PRIMARY KEY (collection, key)
    );
    CREATE INDEX records_by_place ON records (collection, place);
    CREATE INDEX records_by_owner ON records (collection, owner, place);
    CREATE INDEX records_by_revision ON records (collection, revision);
    CREATE INDEX records_by_expiry ON records (collection, expires_at);
    CREATE TABLE removed (
      collection TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (collection, key)
    ) WITHOUT ROWID;
    CREATE INDEX removed_by_revision ON removed (collection, revision);
    CREATE TRIGGER records_made AFTER INSERT ON records BEGIN
      INSERT INTO owners VALUES (new.collection, new.owner, 1, new.bytes)
        ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + new.bytes;
      UPDATE collections SET records = records + 1, bytes = bytes + new.bytes WHERE name = new.collection;
    END;
    CREATE TRIGGER records_written AFTER UPDATE OF bytes ON records BEGIN
      UPDATE owners SET bytes = bytes + new.bytes - old.bytes WHERE collection = new.collection AND owner = new.owner;
      UPDATE collections SET bytes = bytes + new.bytes - old.bytes WHERE name = new.collection;
    END;
    CREATE TRIGGER records_gone AFTER DELETE ON records BEGIN
      UPDATE owners SET records = records - 1, bytes = bytes - old.bytes
        WHERE collection = old.collection AND owner = old.owner;
      DELETE FROM owners WHERE collection = old.collection AND owner = old.owner AND records = 0;
      UPDATE collections SET records = records - 1, bytes = bytes - old.bytes WHERE name = old.collection;
    END;
  `,
}
