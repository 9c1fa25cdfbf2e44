-- What becomes of calls by voice, and those to emergency contacts (SOS-4, SOS-6, SOS-8): one whose
-- emergency is over while it rings is hung up, and what a contact was called for is shown as what
-- hospitals were. Who the contact is, is sealed with the person's key, as the contacts are.

ALTER TABLE data4help.emergency_calls
  ADD COLUMN withdrawn_at timestamptz;           -- hung up: its emergency was over

CREATE TABLE data4help.emergency_contact_calls (
  call_id          uuid CONSTRAINT emergency_contact_calls_pkey PRIMARY KEY,
  episode_id       uuid NOT NULL
                   CONSTRAINT emergency_contact_calls_episode_id_fkey
                   REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  account_id       bigint NOT NULL
                   CONSTRAINT emergency_contact_calls_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  sealed_name      bytea NOT NULL,               -- of the contact
  called_at        timestamptz NOT NULL,
  acknowledged_at  timestamptz,                  -- heard to the end of the first repetition
  withdrawn_at     timestamptz
);

CREATE INDEX emergency_contact_calls_episode_id_idx
  ON data4help.emergency_contact_calls (episode_id, called_at);
-- How many there were of late is counted before another one.
CREATE INDEX emergency_contact_calls_account_id_idx
  ON data4help.emergency_contact_calls (account_id, called_at);

-- What is no place can't be called, and is not read as none.
ALTER TABLE data4help.hospitals
  ADD CONSTRAINT hospitals_latitude_e7_check
    CHECK (latitude_e7 BETWEEN -900000000 AND 900000000),
  ADD CONSTRAINT hospitals_longitude_e7_check
    CHECK (longitude_e7 BETWEEN -1800000000 AND 1800000000);

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.emergency_contact_calls TO data4help;
