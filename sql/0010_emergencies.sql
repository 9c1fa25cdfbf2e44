-- AutomatedSOS: monitored people, emergencies, hospitals and emergency contacts (R33-R35, SOS-1 to
-- SOS-13, REQ-5). Thresholds are in clear under the pseudonymous number, as birth dates are: every
-- replica holds those of all people in memory and could not open a million sealed values at its
-- start. Emergency contacts are names and addresses of other people and are sealed with the key of
-- the account.

-- The update of this row numbers changes in the order of commits: a replica that remembers the last
-- number it read misses no change.
CREATE TABLE data4help.monitoring_clock (
  is_only  boolean DEFAULT true CONSTRAINT monitoring_clock_pkey PRIMARY KEY
           CONSTRAINT monitoring_clock_is_only_check CHECK (is_only),
  change   bigint NOT NULL
);

INSERT INTO data4help.monitoring_clock (change) VALUES (0);

CREATE TABLE data4help.monitored_users (
  account_id       bigint CONSTRAINT monitored_users_pkey PRIMARY KEY
                   CONSTRAINT monitored_users_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  change           bigint NOT NULL CONSTRAINT monitored_users_change_key UNIQUE,
  permitted_at     timestamptz,
  language         text NOT NULL DEFAULT 'it'
                   CONSTRAINT monitored_users_language_check CHECK (language IN ('it', 'en')),
  heart_rate_low   float8,
  heart_rate_high  float8,
  systolic_low     float8,
  systolic_high    float8,
  diastolic_high   float8,
  paused_until     timestamptz,
  sealed_contacts  bytea,
  heard_at         timestamptz,
  silence_told_at  timestamptz
) WITH (fillfactor = 70);

CREATE INDEX monitored_users_heard_at_idx
  ON data4help.monitored_users (heard_at)
  WHERE permitted_at IS NOT NULL AND silence_told_at IS NULL;

-- The row of an emergency is its state: every stage ends by a conditional update of it, and the
-- first replica wins.
CREATE TABLE data4help.emergencies (
  episode_id        uuid CONSTRAINT emergencies_pkey PRIMARY KEY,
  account_id        bigint NOT NULL
                    CONSTRAINT emergencies_account_id_fkey
                    REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  rule              smallint NOT NULL
                    CONSTRAINT emergencies_rule_check CHECK (rule BETWEEN 0 AND 7),
  stage             smallint NOT NULL
                    CONSTRAINT emergencies_stage_check CHECK (stage BETWEEN 1 AND 11),
  first_critical    bigint NOT NULL,
  suspected_at      timestamptz NOT NULL,
  abort_until       timestamptz NOT NULL,
  due_at            timestamptz,
  quiet_until       timestamptz,
  followed_until    timestamptz NOT NULL,
  asked_at          timestamptz,
  confirmed_at      timestamptz,
  dispatched_at     timestamptz,
  acknowledged_at   timestamptz,
  ended_at          timestamptz,
  outcome           smallint
                    CONSTRAINT emergencies_outcome_check CHECK (outcome BETWEEN 1 AND 4),
  sealed_details    bytea NOT NULL,
  has_all_readings  boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);

CREATE UNIQUE INDEX emergencies_account_id_rule_key
  ON data4help.emergencies (account_id, rule) WHERE stage <= 3;
CREATE INDEX emergencies_due_at_idx ON data4help.emergencies (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX emergencies_followed_until_idx ON data4help.emergencies (followed_until);
-- Of several emergencies that one upload raised, the one measured later is the newer (SOS-8).
CREATE INDEX emergencies_account_id_idx
  ON data4help.emergencies (account_id, suspected_at DESC, first_critical DESC, rule DESC);
CREATE INDEX emergencies_ended_at_idx
  ON data4help.emergencies (ended_at)
  WHERE ended_at IS NOT NULL AND NOT has_all_readings AND rule <> 0;

-- The position of a hospital is public.
CREATE TABLE data4help.hospitals (
  account_id    bigint CONSTRAINT hospitals_pkey PRIMARY KEY
                CONSTRAINT hospitals_account_id_fkey
                REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  approved_at   timestamptz,
  is_on_duty    boolean NOT NULL DEFAULT false,
  latitude_e7   integer
                CONSTRAINT hospitals_latitude_e7_check
                CHECK (latitude_e7 BETWEEN -900000000 AND 900000000),
  longitude_e7  integer
                CONSTRAINT hospitals_longitude_e7_check
                CHECK (longitude_e7 BETWEEN -1800000000 AND 1800000000),
  changed_at    timestamptz NOT NULL,
  CONSTRAINT hospitals_position_check
    CHECK ((latitude_e7 IS NULL) = (longitude_e7 IS NULL)
      AND (NOT is_on_duty OR latitude_e7 IS NOT NULL))
);

CREATE TABLE data4help.emergency_calls (
  episode_id       uuid NOT NULL
                   CONSTRAINT emergency_calls_episode_id_fkey
                   REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  number           integer NOT NULL,
  hospital_id      bigint
                   CONSTRAINT emergency_calls_hospital_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE SET NULL,
  is_voice         boolean NOT NULL,
  called_at        timestamptz NOT NULL,
  acknowledged_at  timestamptz,
  withdrawn_at     timestamptz,
  read_at          timestamptz,
  CONSTRAINT emergency_calls_pkey PRIMARY KEY (episode_id, number)
);

CREATE UNIQUE INDEX emergency_calls_hospital_id_key
  ON data4help.emergency_calls (hospital_id, episode_id) WHERE hospital_id IS NOT NULL;
CREATE INDEX emergency_calls_hospital_id_idx
  ON data4help.emergency_calls (hospital_id, called_at DESC, episode_id DESC)
  WHERE hospital_id IS NOT NULL;

CREATE TABLE data4help.emergency_contact_calls (
  call_id          uuid CONSTRAINT emergency_contact_calls_pkey PRIMARY KEY,
  episode_id       uuid NOT NULL
                   CONSTRAINT emergency_contact_calls_episode_id_fkey
                   REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  account_id       bigint NOT NULL
                   CONSTRAINT emergency_contact_calls_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  sealed_name      bytea NOT NULL,
  called_at        timestamptz NOT NULL,
  acknowledged_at  timestamptz,
  withdrawn_at     timestamptz
);

CREATE INDEX emergency_contact_calls_episode_id_idx
  ON data4help.emergency_contact_calls (episode_id, called_at);
-- Recent calls are counted before a further one.
CREATE INDEX emergency_contact_calls_account_id_idx
  ON data4help.emergency_contact_calls (account_id, called_at);

-- A contact agrees before a second emergency is reported to it (SOS-6), and only to the telephone
-- in the mail of the link.
CREATE TABLE data4help.emergency_contacts (
  account_id   bigint NOT NULL
               CONSTRAINT emergency_contacts_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  contact      bytea NOT NULL,
  phone        bytea NOT NULL,
  state        smallint NOT NULL
               CONSTRAINT emergency_contacts_state_check CHECK (state BETWEEN 1 AND 3),
  asked_at     timestamptz NOT NULL,
  answered_at  timestamptz,
  told_at      timestamptz,
  CONSTRAINT emergency_contacts_pkey PRIMARY KEY (account_id, contact)
);

CREATE TABLE data4help.emergency_contact_links (
  token_hash  bytea CONSTRAINT emergency_contact_links_pkey PRIMARY KEY,
  account_id  bigint NOT NULL,
  contact     bytea NOT NULL,
  issued_at   timestamptz NOT NULL,
  phone       bytea,
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
  episode_id      uuid
                  CONSTRAINT emergency_contact_mails_episode_id_fkey
                  REFERENCES data4help.emergencies (episode_id) ON DELETE CASCADE,
  kind            smallint NOT NULL
                  CONSTRAINT emergency_contact_mails_kind_check CHECK (kind BETWEEN 1 AND 3),
  contact         bytea NOT NULL,
  sealed_name     bytea NOT NULL,
  sealed_address  bytea NOT NULL,
  queued_at       timestamptz NOT NULL
);

-- Recent mails are counted before a further one.
CREATE INDEX emergency_contact_mails_account_id_idx
  ON data4help.emergency_contact_mails (account_id, queued_at);
CREATE INDEX emergency_contact_mails_episode_id_idx
  ON data4help.emergency_contact_mails (episode_id, queued_at);

-- Without accounts, so that the deletion of an account does not remove its mails from the count.
CREATE TABLE data4help.contact_questions (
  question_id  bigint GENERATED ALWAYS AS IDENTITY
               CONSTRAINT contact_questions_pkey PRIMARY KEY,
  receiver     bytea NOT NULL,
  asked_at     timestamptz NOT NULL
);

CREATE INDEX contact_questions_receiver_idx
  ON data4help.contact_questions (receiver, asked_at);
CREATE INDEX contact_questions_asked_at_idx ON data4help.contact_questions (asked_at);

GRANT SELECT, UPDATE ON data4help.monitoring_clock TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.monitored_users, data4help.emergencies, data4help.hospitals,
     data4help.emergency_calls, data4help.emergency_contact_calls, data4help.emergency_contacts,
     data4help.emergency_contact_links, data4help.emergency_contact_mails
  TO data4help;
GRANT SELECT, INSERT, DELETE ON data4help.contact_questions TO data4help;

-- The gateway reads which accounts are monitored (SOS-2), since their first upload after its start
-- has the priority of alarms. It reads neither thresholds nor contacts.
GRANT SELECT (account_id, permitted_at, change) ON data4help.monitored_users TO gateway;
