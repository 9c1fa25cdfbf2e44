-- Invitations to runs by mail (RUN-10): nobody gets one twice for a run, nor many in a day, and
-- nobody sends many in a day. An address stands as a keyed hash that opens nothing.

CREATE TABLE track4run.invitations (
  run_id         bigint NOT NULL
                 CONSTRAINT invitations_run_id_fkey
                 REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  address_blind  bytea NOT NULL,
  invited_at     timestamptz NOT NULL,
  CONSTRAINT invitations_pkey PRIMARY KEY (run_id, address_blind)
);

CREATE INDEX invitations_address_blind_idx ON track4run.invitations (address_blind, invited_at);
CREATE INDEX invitations_invited_at_idx ON track4run.invitations (invited_at);

-- How many addresses an account has invited on a day, sent to or not.
CREATE TABLE track4run.invitation_counts (
  account_id  bigint NOT NULL,
  day         integer NOT NULL,                  -- days since 1970-01-01 in our time zone
  invited     integer NOT NULL
              CONSTRAINT invitation_counts_invited_check CHECK (invited > 0),
  CONSTRAINT invitation_counts_pkey PRIMARY KEY (account_id, day)
);

CREATE INDEX invitation_counts_day_idx ON track4run.invitation_counts (day);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON track4run.invitations, track4run.invitation_counts TO track4run;
