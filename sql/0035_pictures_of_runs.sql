-- The picture that an organiser gives a run (R38), as it is shown: without what cameras write
-- beside it. It goes with the run.

CREATE TABLE track4run.pictures (
  run_id     bigint CONSTRAINT pictures_pkey PRIMARY KEY
             CONSTRAINT pictures_run_id_fkey
             REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  -- 1 JPEG, 2 PNG
  kind       smallint NOT NULL CONSTRAINT pictures_kind_check CHECK (kind BETWEEN 1 AND 2),
  bytes      bytea NOT NULL
             CONSTRAINT pictures_bytes_check CHECK (octet_length(bytes) <= 4 * 1024 * 1024),
  digest     bytea NOT NULL             -- SHA-256, by which a copy is known
             CONSTRAINT pictures_digest_check CHECK (octet_length(digest) = 32),
  stored_at  timestamptz NOT NULL
);

-- A picture is compressed already.
ALTER TABLE track4run.pictures ALTER COLUMN bytes SET STORAGE EXTERNAL;

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.pictures TO track4run;
