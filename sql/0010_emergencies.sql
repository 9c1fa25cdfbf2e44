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
COMMENT ON TABLE data4help.monitoring_clock IS
  'The counter of changes of monitored people: one row';
COMMENT ON COLUMN data4help.monitoring_clock.is_only IS
  'Always true: limits the table to one row';
COMMENT ON COLUMN data4help.monitoring_clock.change IS 'Number of the last change';

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
COMMENT ON TABLE data4help.monitored_users IS 'Settings of AutomatedSOS of a person';
COMMENT ON COLUMN data4help.monitored_users.change IS
  'Number of the last change of the row, from monitoring_clock';
COMMENT ON COLUMN data4help.monitored_users.permitted_at IS
  'When the person permitted calls; NULL while AutomatedSOS is off';
COMMENT ON COLUMN data4help.monitored_users.language IS
  'Language of messages to hospitals and contacts';
COMMENT ON COLUMN data4help.monitored_users.heart_rate_low IS
  'Personal threshold, beats a minute; NULL for that of the age';
COMMENT ON COLUMN data4help.monitored_users.heart_rate_high IS
  'Personal threshold, beats a minute; NULL for that of the age';
COMMENT ON COLUMN data4help.monitored_users.systolic_low IS
  'Personal threshold, mmHg; NULL for that of the age';
COMMENT ON COLUMN data4help.monitored_users.systolic_high IS
  'Personal threshold, mmHg; NULL for that of the age';
COMMENT ON COLUMN data4help.monitored_users.diastolic_high IS
  'Personal threshold, mmHg; NULL for that of the age';
COMMENT ON COLUMN data4help.monitored_users.paused_until IS
  'Until then readings raise no emergency; NULL without a pause';
COMMENT ON COLUMN data4help.monitored_users.sealed_contacts IS
  'Sealed with the key of the account: names, emails and telephones of the emergency contacts as '
  'JSON; NULL without contacts';
COMMENT ON COLUMN data4help.monitored_users.heard_at IS
  'When readings of the person last arrived; NULL before';
COMMENT ON COLUMN data4help.monitored_users.silence_told_at IS
  'When the person was notified of the present silence (SOS-9); NULL without one';

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
COMMENT ON TABLE data4help.emergencies IS 'Emergencies of monitored people, drills included';
COMMENT ON COLUMN data4help.emergencies.rule IS
  '0 drill, 1 heart rate low, 2 heart rate high, 3 blood pressure low, 4 blood pressure high, '
  '5 fall, 6 shaking, 7 loss of pulse (SOS-13)';
COMMENT ON COLUMN data4help.emergencies.stage IS
  '1 suspected, 2 asked, 3 confirmed, 4 dispatched, 5 acknowledged, 6 closed by the hospital, '
  '7 withdrawn, 8 aborted, 9 false alarm, 10 drill over, 11 unanswered';
COMMENT ON COLUMN data4help.emergencies.first_critical IS
  'Time of the first critical reading by the device, milliseconds since 1970-01-01T00:00:00Z';
COMMENT ON COLUMN data4help.emergencies.abort_until IS
  'Until then the person can abort before any call';
COMMENT ON COLUMN data4help.emergencies.due_at IS
  'When the stage ends by itself; NULL for a stage without time limit';
COMMENT ON COLUMN data4help.emergencies.quiet_until IS
  'Until then the rule raises no further emergency of the person; NULL without such a time';
COMMENT ON COLUMN data4help.emergencies.followed_until IS
  'Until then replicas keep the emergency in memory';
COMMENT ON COLUMN data4help.emergencies.outcome IS
  '1 helped, 2 nobody found, 3 false alarm, 4 handed over; NULL unless a hospital has closed it';
COMMENT ON COLUMN data4help.emergencies.sealed_details IS
  'Sealed with the key of the account: readings and position as JSON';
COMMENT ON COLUMN data4help.emergencies.has_all_readings IS
  'Whether a worker has completed the readings, from five minutes before the emergency to its end '
  '(SOS-8)';

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
COMMENT ON TABLE data4help.hospitals IS 'Third parties that answer emergencies';
COMMENT ON COLUMN data4help.hospitals.approved_at IS
  'When the operator approved it; NULL without an approval in force';
COMMENT ON COLUMN data4help.hospitals.is_on_duty IS 'Whether it accepts calls now';
COMMENT ON COLUMN data4help.hospitals.latitude_e7 IS
  'Ten-millionths of a degree, WGS 84; NULL without a position';
COMMENT ON COLUMN data4help.hospitals.longitude_e7 IS
  'Ten-millionths of a degree, WGS 84; NULL without a position';

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
COMMENT ON TABLE data4help.emergency_calls IS
  'Calls of an emergency to hospitals and to the emergency number';
COMMENT ON COLUMN data4help.emergency_calls.number IS 'Within the emergency, from 1';
COMMENT ON COLUMN data4help.emergency_calls.hospital_id IS
  'NULL for the emergency number and for a deleted account';
COMMENT ON COLUMN data4help.emergency_calls.is_voice IS
  'Whether it is a call by voice, to the emergency number';
COMMENT ON COLUMN data4help.emergency_calls.withdrawn_at IS
  'When it was hung up since its emergency was over; NULL otherwise';
COMMENT ON COLUMN data4help.emergency_calls.read_at IS
  'When the hospital read it in its list, as last recorded in accesses; NULL before';

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
COMMENT ON TABLE data4help.emergency_contact_calls IS
  'Calls by voice to emergency contacts (SOS-4, SOS-6, SOS-8)';
COMMENT ON COLUMN data4help.emergency_contact_calls.account_id IS 'The monitored person';
COMMENT ON COLUMN data4help.emergency_contact_calls.sealed_name IS
  'Sealed with the key of the account: the name of the contact as text';
COMMENT ON COLUMN data4help.emergency_contact_calls.acknowledged_at IS
  'When the contact had heard the first repetition to its end; NULL otherwise';
COMMENT ON COLUMN data4help.emergency_contact_calls.withdrawn_at IS
  'When it was hung up since its emergency was over; NULL otherwise';

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
COMMENT ON TABLE data4help.emergency_contacts IS 'The consent of emergency contacts';
COMMENT ON COLUMN data4help.emergency_contacts.contact IS
  'Keyed hash of account and email: the same contact of another person has another one';
COMMENT ON COLUMN data4help.emergency_contacts.phone IS
  'Keyed hash of account and telephone of the last question, or of no telephone';
COMMENT ON COLUMN data4help.emergency_contacts.state IS '1 asked, 2 agreed, 3 declined';
COMMENT ON COLUMN data4help.emergency_contacts.told_at IS
  'When an emergency was mailed to the contact before it agreed; NULL otherwise';

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
COMMENT ON TABLE data4help.emergency_contact_links IS
  'Unused links by which emergency contacts agree or decline';
COMMENT ON COLUMN data4help.emergency_contact_links.token_hash IS
  'SHA-256 of the random part of the token';
COMMENT ON COLUMN data4help.emergency_contact_links.contact IS 'As in emergency_contacts';
COMMENT ON COLUMN data4help.emergency_contact_links.phone IS
  'Keyed hash of the telephone in the mail, as in emergency_contacts; NULL for a link that can '
  'only decline';

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
COMMENT ON TABLE data4help.emergency_contact_mails IS 'Mails to emergency contacts';
COMMENT ON COLUMN data4help.emergency_contact_mails.account_id IS 'The monitored person';
COMMENT ON COLUMN data4help.emergency_contact_mails.episode_id IS 'NULL for kind 1';
COMMENT ON COLUMN data4help.emergency_contact_mails.kind IS
  '1 question for consent, 2 report of an emergency, 3 report of its end';
COMMENT ON COLUMN data4help.emergency_contact_mails.contact IS 'As in emergency_contacts';
COMMENT ON COLUMN data4help.emergency_contact_mails.sealed_name IS
  'Sealed with the key of the account: the name of the contact as text';
COMMENT ON COLUMN data4help.emergency_contact_mails.sealed_address IS
  'Sealed with the key of the account: the email of the contact as text';

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
COMMENT ON TABLE data4help.contact_questions IS
  'Questions for consent mailed to an address in the last day, of all accounts';
COMMENT ON COLUMN data4help.contact_questions.receiver IS
  'Keyed hash of the email, the same for all accounts';

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
