-- Why: the account keys are in a database of their own (trackme_keys), so that no backup of the
-- data holds the keys with it, and destroying a key erases what it sealed (NFR-5, ACC-8).
--
-- Only data4help reads and writes keys. Roles belong to the cluster and can exist already.

DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['trackme_owner', 'data4help'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', wanted);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;  -- a migration of another database created it at the same time
      END;
    END IF;
  END LOOP;
END
$$;

DO $$
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO trackme_owner, data4help', current_database());
END
$$;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO data4help;

ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

COMMENT ON TABLE trackme.migrations IS 'Migrations that were applied to this database';
COMMENT ON COLUMN trackme.migrations.number IS 'The number in the name of the file, from 1';
COMMENT ON COLUMN trackme.migrations.name IS 'The name of the file, without its directory';
COMMENT ON COLUMN trackme.migrations.sha256 IS
  'SHA-256 of the SQL with its reference files inserted, 64 hexadecimal digits';

-- Never in the same backup as the data. Destroying a row makes what its key sealed unreadable.
CREATE TABLE account_keys (
  account_id    bigint CONSTRAINT account_keys_pkey PRIMARY KEY,
  wrapped_key   bytea NOT NULL,
  created_at    timestamptz NOT NULL,
  access_count  bigint NOT NULL DEFAULT 0,
  access_head   bytea
);
COMMENT ON TABLE account_keys IS 'Keys of accounts, and the anchors of their records of accesses';
COMMENT ON COLUMN account_keys.wrapped_key IS
  'The key wrapped by a master key with AES-256-GCM, 69 bytes: version 1, identifier of the master '
  'key (8), nonce (12), ciphertext (32), tag (16)';
COMMENT ON COLUMN account_keys.access_count IS
  'Anchored length of the record of accesses (data4help.accesses)';
COMMENT ON COLUMN account_keys.access_head IS
  'Anchored last link of the record of accesses, HMAC-SHA256; NULL for an empty record';

-- Kept with the keys and thus in no backup of the data: accounts that a restored backup contains
-- are deleted again by it. Rows are only added (ACC-8).
CREATE TABLE deletions (
  account_id  bigint CONSTRAINT deletions_pkey PRIMARY KEY,
  deleted_at  timestamptz NOT NULL
);
COMMENT ON TABLE deletions IS 'The ledger of deleted accounts, by their pseudonymous numbers';

CREATE INDEX deletions_deleted_at_idx ON deletions (deleted_at);

-- With a key file that has none of these master keys, no sealed value of this installation can be
-- opened (NFR-5). Wrapped keys hold the name too. A rotation adds a row.
CREATE TABLE master_keys (
  identifier  text CONSTRAINT master_keys_pkey PRIMARY KEY,
  adopted_at  timestamptz NOT NULL
);
COMMENT ON TABLE master_keys IS 'Master keys under which keys of this database were wrapped';
COMMENT ON COLUMN master_keys.identifier IS
  'Name of the master key, 16 hexadecimal digits: derived by HKDF, it does not disclose the key';

GRANT SELECT, INSERT, UPDATE, DELETE ON account_keys TO data4help;
GRANT SELECT, INSERT ON deletions, master_keys TO data4help;
