-- The ledger of deleted accounts (ACC-8): pseudonymous numbers, kept with the keys and thus not in
-- any backup of the data. What a restored backup brings back is deleted again by it. Lines are
-- only added.

CREATE TABLE deletions (
  account_id  bigint CONSTRAINT deletions_pkey PRIMARY KEY,
  deleted_at  timestamptz NOT NULL
);

CREATE INDEX deletions_deleted_at_idx ON deletions (deleted_at);

GRANT SELECT, INSERT ON deletions TO data4help;
