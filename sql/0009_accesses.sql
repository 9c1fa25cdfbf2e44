-- The record of accesses to personal data by others (REQ-5, NFR-6): one entry a delivery, numbered
-- and chained per person by an HMAC under a key outside the database. Heads and lengths are
-- anchored beside the account keys, so that the table can be neither rewritten nor cut unseen.

CREATE TABLE data4help.access_heads (
  account_id      bigint CONSTRAINT access_heads_pkey PRIMARY KEY,
  count           bigint NOT NULL,
  head            bytea NOT NULL,
  anchored_count  bigint NOT NULL DEFAULT 0      -- a note for the worker only
) WITH (fillfactor = 50);

CREATE INDEX access_heads_anchored_count_idx
  ON data4help.access_heads (account_id) WHERE anchored_count < count;

CREATE TABLE data4help.accesses (
  account_id      bigint NOT NULL,
  number          bigint NOT NULL,               -- from 1, without a hole
  third_party_id  bigint NOT NULL,
  request_id      uuid,
  accessed_at     timestamptz NOT NULL,
  format          smallint NOT NULL              -- 1 json, 2 csv
                  CONSTRAINT accesses_format_check CHECK (format IN (1, 2)),
  types           bigint NOT NULL,               -- a bit a data type that was delivered
  first_seq       bigint NOT NULL,               -- the third party's number of the first sample
  last_seq        bigint NOT NULL,
  n               integer NOT NULL,
  chain           bytea NOT NULL,
  CONSTRAINT accesses_pkey PRIMARY KEY (account_id, number)
);

GRANT SELECT, INSERT, UPDATE ON data4help.access_heads TO data4help;
GRANT SELECT, INSERT ON data4help.accesses TO data4help;
