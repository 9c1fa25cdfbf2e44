-- The key database: an account's key, wrapped by the master key file. It is never in the same
-- backup as the data; destroying a row here makes what it sealed unreadable for good (ACC-8,
-- NFR-5).

CREATE TABLE account_keys (
  account_id     bigint CONSTRAINT account_keys_pkey PRIMARY KEY,
  wrapped_key    bytea NOT NULL,
  created_at     timestamptz NOT NULL,
  access_count   bigint NOT NULL DEFAULT 0,      -- the anchored length of the record of accesses
  access_head    bytea                           -- and its last link
);

GRANT SELECT, INSERT, UPDATE, DELETE ON account_keys TO data4help;
