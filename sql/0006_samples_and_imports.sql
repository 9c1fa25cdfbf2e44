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
COMMENT ON TABLE data4help.sample_accounts IS 'The state of the samples of an account';
COMMENT ON COLUMN data4help.sample_accounts.next_seq IS
  'Number of the next sample within the account';
COMMENT ON COLUMN data4help.sample_accounts.bytes_used IS
  'Sealed bytes of all samples, which count towards the quota (DAT-5)';
COMMENT ON COLUMN data4help.sample_accounts.disabled_types IS
  'Data types that the user has switched off: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.sample_accounts.stored_types IS
  'Data types with a sample: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.sample_accounts.paused_until IS
  'Until then uploads and imports store nothing (DAT-8); NULL without a pause';
COMMENT ON COLUMN data4help.sample_accounts.assigned_types IS
  'The device that provides a data type: five bytes for each, the storage code of the type and '
  'the number of the device in four bytes, most significant first';
COMMENT ON COLUMN data4help.sample_accounts.room_told_at IS
  'When the user was last notified that the oldest samples were removed (DAT-5); NULL before';
COMMENT ON COLUMN data4help.sample_accounts.is_followed IS
  'Whether a third party subscribes to the account: uploads read it and signal the relay';

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
COMMENT ON TABLE data4help.chunks IS 'Samples of an account, a data type and a day';
COMMENT ON COLUMN data4help.chunks.type IS 'Storage code of the data type (DataType)';
COMMENT ON COLUMN data4help.chunks.day IS
  'Days since 1970-01-01 in the time zone of the installation';
COMMENT ON COLUMN data4help.chunks.part IS 'The greatest part has the last sample of the day';
COMMENT ON COLUMN data4help.chunks.blocks IS 'Number of sealed blocks in data';
COMMENT ON COLUMN data4help.chunks.n IS 'Number of samples in data';
COMMENT ON COLUMN data4help.chunks.first_ts IS 'Milliseconds since 1970-01-01T00:00:00Z';
COMMENT ON COLUMN data4help.chunks.last_ts IS 'Milliseconds since 1970-01-01T00:00:00Z';
COMMENT ON COLUMN data4help.chunks.first_seq IS 'Lowest number of a sample within the account';
COMMENT ON COLUMN data4help.chunks.last_seq IS 'Highest number of a sample within the account';
COMMENT ON COLUMN data4help.chunks.data IS
  'Blocks sealed with the key of the account, each after its length in two bytes, newest first';

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
COMMENT ON TABLE data4help.imports IS 'Imports of whole exports (DAT-6)';
COMMENT ON COLUMN data4help.imports.import_id IS 'Ordered by time';
COMMENT ON COLUMN data4help.imports.state IS '0 receiving, 1 merging, 2 done, 3 failed';
COMMENT ON COLUMN data4help.imports.heartbeat_at IS
  'Last sign of the process at work on the import';
COMMENT ON COLUMN data4help.imports.worker IS
  'The process that merges the import; NULL before one does';
COMMENT ON COLUMN data4help.imports.bytes_read IS 'Bytes of the file that were parsed';
COMMENT ON COLUMN data4help.imports.bytes_total IS
  'Bytes of the file; NULL where the client did not declare its length';
COMMENT ON COLUMN data4help.imports.sealed_report IS
  'Sealed with the key of the account: counts by type and the fault of a malformed file as JSON';

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
COMMENT ON TABLE data4help.import_blocks IS 'Staged samples of an import';
COMMENT ON COLUMN data4help.import_blocks.number IS 'Within the import';
COMMENT ON COLUMN data4help.import_blocks.n IS 'Number of samples in data';
COMMENT ON COLUMN data4help.import_blocks.last_ts IS 'Milliseconds since 1970-01-01T00:00:00Z';
COMMENT ON COLUMN data4help.import_blocks.data IS
  'One block of one data type, sealed with the key of the account';

ALTER TABLE data4help.import_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.sample_accounts, data4help.chunks, data4help.imports, data4help.import_blocks
  TO data4help;
