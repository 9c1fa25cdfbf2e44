-- Health data (R6-R9, DAT-1, DAT-3, DAT-5 to DAT-8) in packed, sealed day rows: see
-- docs/architecture.md. Every key begins with the account, so that these tables can be distributed
-- by it.

-- A writer of samples locks the row of the account until the commit: numbers from next_seq are in
-- commit order, and no other transaction changes the chunks of the account.
CREATE TABLE data4help.sample_accounts (
  account_id      bigint CONSTRAINT sample_accounts_pkey PRIMARY KEY,
  next_seq        bigint NOT NULL DEFAULT 1,
  bytes_used      bigint NOT NULL DEFAULT 0,
  disabled_types  bigint NOT NULL DEFAULT 0,
  stored_types    bigint NOT NULL DEFAULT 0,
  paused_until    timestamptz,
  assigned_types  bytea NOT NULL DEFAULT '',
  room_told_at    timestamptz,
  is_followed     boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

-- New bytes are inserted at the beginning of data, so that the write-ahead log of an update leaves
-- out the common suffix. A chunk ends near 1,900 bytes, so that an append never rewrites more. No
-- column that an append changes is indexed.
CREATE TABLE data4help.chunks (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  day         integer NOT NULL,
  part        integer NOT NULL,
  blocks      smallint NOT NULL,
  n           integer NOT NULL,
  first_ts    bigint NOT NULL,
  last_ts     bigint NOT NULL,
  first_seq   bigint NOT NULL,
  last_seq    bigint NOT NULL,
  data        bytea NOT NULL,
  CONSTRAINT chunks_pkey PRIMARY KEY (account_id, type, day, part)
) PARTITION BY HASH (account_id);

ALTER TABLE data4help.chunks ALTER COLUMN data SET STORAGE EXTERNAL;

DO $$
BEGIN
  FOR remainder IN 0..7 LOOP
    EXECUTE format(
      'CREATE TABLE data4help.chunks_%s PARTITION OF data4help.chunks
         FOR VALUES WITH (MODULUS 8, REMAINDER %s) WITH (fillfactor = 70)',
      remainder, remainder);
  END LOOP;
END
$$;

-- An export (DAT-6) is parsed during the upload: its samples are staged as sealed blocks, merged
-- into the chunks once the whole file is well-formed, and removed otherwise. The process at work on
-- an import (the receiving replica or the merging worker) renews its heartbeat; once that is
-- outdated, another process takes over or removes the import.
CREATE TABLE data4help.imports (
  account_id     bigint NOT NULL,
  import_id      uuid NOT NULL,
  state          smallint NOT NULL
                 CONSTRAINT imports_state_check CHECK (state IN (0, 1, 2, 3)),
  started_at     timestamptz NOT NULL,
  heartbeat_at   timestamptz NOT NULL,
  worker         uuid,
  bytes_read     bigint NOT NULL DEFAULT 0,
  bytes_total    bigint,
  sealed_report  bytea NOT NULL,
  CONSTRAINT imports_pkey PRIMARY KEY (account_id, import_id)
);

-- One open import for each account.
CREATE UNIQUE INDEX imports_account_id_open_key
  ON data4help.imports (account_id) WHERE state IN (0, 1);
CREATE INDEX imports_started_at_idx ON data4help.imports (started_at) WHERE state IN (2, 3);

CREATE TABLE data4help.import_blocks (
  account_id  bigint NOT NULL,
  import_id   uuid NOT NULL,
  number      integer NOT NULL,
  n           integer NOT NULL,
  last_ts     bigint NOT NULL,
  data        bytea NOT NULL,
  CONSTRAINT import_blocks_pkey PRIMARY KEY (account_id, import_id, number),
  CONSTRAINT import_blocks_import_id_fkey FOREIGN KEY (account_id, import_id)
    REFERENCES data4help.imports (account_id, import_id) ON DELETE CASCADE
);

ALTER TABLE data4help.import_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.sample_accounts, data4help.chunks, data4help.imports, data4help.import_blocks
  TO data4help;
