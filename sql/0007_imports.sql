-- Imports of whole exports (DAT-6): parsed while they stream in, their samples staged as sealed
-- blocks under the import, merged into the day rows once the whole file proved well-formed, swept
-- when it did not. Whoever works on an import (the replica that receives it, the worker that merges
-- it) moves its heartbeat; where that stands still, another one takes over or sweeps.

CREATE TABLE data4help.imports (
  account_id     bigint NOT NULL,
  import_id      uuid NOT NULL,                  -- by time
  state          smallint NOT NULL               -- 0 receiving, 1 merging, 2 done, 3 failed
                 CONSTRAINT imports_state_check CHECK (state IN (0, 1, 2, 3)),
  started_at     timestamptz NOT NULL,
  heartbeat_at   timestamptz NOT NULL,
  worker         uuid,                           -- who merges it
  bytes_read     bigint NOT NULL DEFAULT 0,
  bytes_total    bigint,
  sealed_report  bytea NOT NULL,                 -- counts by type, where the file is malformed
  CONSTRAINT imports_pkey PRIMARY KEY (account_id, import_id)
);

-- One import of an account at a time.
CREATE UNIQUE INDEX imports_account_id_open_key
  ON data4help.imports (account_id) WHERE state IN (0, 1);
CREATE INDEX imports_started_at_idx ON data4help.imports (started_at) WHERE state IN (2, 3);

CREATE TABLE data4help.import_blocks (
  account_id  bigint NOT NULL,
  import_id   uuid NOT NULL,
  number      integer NOT NULL,
  n           integer NOT NULL,                  -- samples in it
  last_ts     bigint NOT NULL,                   -- milliseconds since 1970-01-01T00:00:00Z
  data        bytea NOT NULL,                    -- one sealed block of one type
  CONSTRAINT import_blocks_pkey PRIMARY KEY (account_id, import_id, number),
  CONSTRAINT import_blocks_import_id_fkey FOREIGN KEY (account_id, import_id)
    REFERENCES data4help.imports (account_id, import_id) ON DELETE CASCADE
);

ALTER TABLE data4help.import_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.imports, data4help.import_blocks TO data4help;
