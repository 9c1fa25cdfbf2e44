-- Emergency contacts agree before they are told anything but once (SOS-6), and each delivery in an
-- emergency is in the record of accesses (REQ-5).

CREATE TABLE data4help.emergency_contacts (
  account_id   bigint NOT NULL
               CONSTRAINT emergency_contacts_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  contact      bytea NOT NULL,                   -- a keyed hash of account and address
  phone        bytea NOT NULL,                   -- the same of the telephone they were asked about
  -- 1 asked, 2 agreed, 3 declined
  state        smallint NOT NULL
               CONSTRAINT emergency_contacts_state_check CHECK (state BETWEEN 1 AND 3),
  asked_at     timestamptz NOT NULL,
  answered_at  timestamptz,
  told_at      timestamptz,                      -- of an emergency, last
  CONSTRAINT emergency_contacts_pkey PRIMARY KEY (account_id, contact)
);

-- Links that were mailed and not used.
CREATE TABLE data4help.emergency_contact_links (
  token_hash  bytea CONSTRAINT emergency_contact_links_pkey PRIMARY KEY,
  account_id  bigint NOT NULL,
  contact     bytea NOT NULL,
  issued_at   timestamptz NOT NULL,
  CONSTRAINT emergency_contact_links_contact_fkey
    FOREIGN KEY (account_id, contact)
    REFERENCES data4help.emergency_contacts (account_id, contact) ON DELETE CASCADE
);

CREATE INDEX emergency_contact_links_contact_idx
  ON data4help.emergency_contact_links (account_id, contact);

CREATE TABLE data4help.emergency_contact_mails (
  mail_id         uuid CONSTRAINT emergency_contact_mails_pkey PRIMARY KEY,
  account_id      bigint NOT NULL
                  CONSTRAINT emergency_contact_mails_account_id_fkey
                  REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  episode_id      uuid                           -- null: the mail asks
                  CONSTRAINT emergency_contact_mails_episode_id_fkey
                  REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  -- 1 asks, 2 tells of an emergency, 3 tells that it is over
  kind            smallint NOT NULL
                  CONSTRAINT emergency_contact_mails_kind_check CHECK (kind BETWEEN 1 AND 3),
  contact         bytea NOT NULL,
  sealed_name     bytea NOT NULL,                -- with the person's key, as the address
  sealed_address  bytea NOT NULL,
  queued_at       timestamptz NOT NULL
);

-- How many there were of late is counted before another one.
CREATE INDEX emergency_contact_mails_account_id_idx
  ON data4help.emergency_contact_mails (account_id, queued_at);
CREATE INDEX emergency_contact_mails_episode_id_idx
  ON data4help.emergency_contact_mails (episode_id, queued_at);

ALTER TABLE data4help.emergency_calls
  ADD COLUMN read_at timestamptz;                -- by the hospital, in its list, as recorded last

-- 11 spoken by a call, 12 acknowledged. In an emergency request_id is that of the emergency, or of
-- the mail or call to a contact, and third_party_id is 0 for who has no account.
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 12);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.emergency_contacts, data4help.emergency_contact_links,
     data4help.emergency_contact_mails TO data4help;
