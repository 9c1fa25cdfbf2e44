-- Imports of whole exports (DAT-6): parsed while they stream in, staged as sealed blocks under the
-- import, merged into the day rows once the whole file proved well-formed, swept when it did not.

CREATE TABLE data4help.imports (
  account_id    bigint NOT NULL,
  import_id     uuid NOT NULL,
  format        smallint NOT NULL,
  state         smallint NOT NULL                -- 0 receiving, 1 running, 2 done, 3 failed
                CONSTRAINT imports_state_check CHECK (state IN (0, 1, 2, 3)),
  started_at    timestamptz NOT NULL,
  heartbeat_at  timestamptz NOT NULL,
  bytes_read    bigint NOT NULL DEFAULT 0,
  bytes_total   bigint,
  report        bytea,                           -- sealed: counts by type, where it failed
  CONSTRAINT imports_pkey PRIMARY KEY (account_id, import_id)
);

CREATE TABLE data4help.import_blocks (
  account_id  bigint NOT NULL,
  import_id   uuid NOT NULL,
  number      integer NOT NULL,
  type        smallint NOT NULL,
  day         integer NOT NULL,
  n           integer NOT NULL,
  data        bytea NOT NULL,
  CONSTRAINT import_blocks_pkey PRIMARY KEY (account_id, import_id, number),
  CONSTRAINT import_blocks_import_id_fkey FOREIGN KEY (account_id, import_id)
    REFERENCES data4help.imports (account_id, import_id) ON DELETE CASCADE
);

ALTER TABLE data4help.import_blocks ALTER COLUMN data SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.imports, data4help.import_blocks TO data4help;
