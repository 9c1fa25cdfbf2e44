-- Health data (R6-R9, DAT-1, DAT-5) in packed, sealed day rows: see docs/architecture.md. Every key
-- begins with the account, so that these tables can be split by it. New bytes go in front of `data`
-- (the update record then drops the common suffix), and a chunk is cut near 1,900 bytes, so that an
-- append never rewrites more. No column that an append changes is indexed.

-- One row an account. Whoever writes samples locks it first and keeps the lock to the commit: the
-- numbers taken from `next_seq` are in commit order, and nobody else changes the account's chunks.
CREATE TABLE data4help.sample_accounts (
  account_id      bigint CONSTRAINT sample_accounts_pkey PRIMARY KEY,
  next_seq        bigint NOT NULL DEFAULT 1,
  bytes_used      bigint NOT NULL DEFAULT 0,
  disabled_types  bigint NOT NULL DEFAULT 0,     -- a bit a data type, by its storage code
  stored_types    bigint NOT NULL DEFAULT 0,     -- a bit a data type that has a sample
  paused_until    timestamptz
) WITH (fillfactor = 50);

CREATE TABLE data4help.chunks (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  day         integer NOT NULL,                  -- days since 1970-01-01 in our time zone
  part        integer NOT NULL,                  -- the greatest holds the day's last sample
  blocks      smallint NOT NULL,                 -- sealed blocks in `data`
  n           integer NOT NULL,                  -- samples in them
  first_ts    bigint NOT NULL,                   -- milliseconds since 1970-01-01T00:00:00Z
  last_ts     bigint NOT NULL,
  first_seq   bigint NOT NULL,
  last_seq    bigint NOT NULL,
  data        bytea NOT NULL,                    -- each block behind its length, newest first
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

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.sample_accounts, data4help.chunks TO data4help;
