-- Why: notices reach a person, a company or a hospital whose pages are closed, by web push (NTF-2;
-- RFC 8030, 8291, 8292).

-- The subscriptions of browsers are bound to one key: a process with another one could not send to
-- them. The first process that starts writes the row, and no process changes it.
CREATE TABLE trackme.push_keys (
  is_only      boolean DEFAULT true CONSTRAINT push_keys_pkey PRIMARY KEY
               CONSTRAINT push_keys_is_only_check CHECK (is_only),
  identifier   text NOT NULL,
  adopted_at   timestamptz NOT NULL
);
COMMENT ON TABLE trackme.push_keys IS
  'The key for push services to which the subscriptions of this database belong: one row';
COMMENT ON COLUMN trackme.push_keys.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN trackme.push_keys.identifier IS
  'Name of the key, 16 hexadecimal digits: derived by HKDF, without disclosing the key';

CREATE TABLE data4help.push_subscriptions (
  account_id       bigint NOT NULL
                   CONSTRAINT push_subscriptions_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  subscription_id  uuid NOT NULL,
  endpoint_blind   bytea NOT NULL,
  session_hash     bytea NOT NULL,
  kinds            smallint NOT NULL
                   CONSTRAINT push_subscriptions_kinds_check CHECK (kinds BETWEEN 0 AND 127),
  sealed_endpoint  bytea NOT NULL,
  created_at       timestamptz NOT NULL,
  CONSTRAINT push_subscriptions_pkey PRIMARY KEY (account_id, subscription_id),
  CONSTRAINT push_subscriptions_account_id_endpoint_blind_key UNIQUE (account_id, endpoint_blind)
);
COMMENT ON TABLE data4help.push_subscriptions IS 'Browsers that receive push messages (NTF-2)';
COMMENT ON COLUMN data4help.push_subscriptions.endpoint_blind IS
  'Keyed hash of the address at the push service; a browser belongs to one account';
COMMENT ON COLUMN data4help.push_subscriptions.session_hash IS
  'The token_hash of the session that stored it last: deleted with its logout';
COMMENT ON COLUMN data4help.push_subscriptions.kinds IS
  'Kinds of notices that it receives: bit n - 1 is the kind n of notices';
COMMENT ON COLUMN data4help.push_subscriptions.sealed_endpoint IS
  'Sealed with the key of the account: the address and the two keys of the browser as JSON';

CREATE INDEX push_subscriptions_endpoint_blind_idx
  ON data4help.push_subscriptions (endpoint_blind);

-- Written with the notice, so that each reaches every subscription at least once. The text is made
-- when it is sent.
CREATE TABLE data4help.push_messages (
  account_id       bigint NOT NULL,
  subscription_id  uuid NOT NULL,
  message_id       uuid NOT NULL DEFAULT gen_random_uuid(),
  notice           bigint,
  is_urgent        boolean NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  expires_at       timestamptz NOT NULL,
  CONSTRAINT push_messages_pkey PRIMARY KEY (account_id, subscription_id, message_id),
  CONSTRAINT push_messages_subscription_fkey
    FOREIGN KEY (account_id, subscription_id)
    REFERENCES data4help.push_subscriptions (account_id, subscription_id) ON DELETE CASCADE
);
COMMENT ON TABLE data4help.push_messages IS 'The queue of push messages';
COMMENT ON COLUMN data4help.push_messages.notice IS
  'Number of the notice; NULL for the call of a hospital';
COMMENT ON COLUMN data4help.push_messages.is_urgent IS
  'An alarm or the call of a hospital, which is sent at once';
COMMENT ON COLUMN data4help.push_messages.attempts IS 'Attempts to send it';
COMMENT ON COLUMN data4help.push_messages.next_attempt_at IS
  'When it is due; while a process sends it, the end of the lease';
COMMENT ON COLUMN data4help.push_messages.expires_at IS 'After this time it is not sent';

CREATE INDEX push_messages_next_attempt_at_idx
  ON data4help.push_messages (is_urgent, next_attempt_at);

GRANT SELECT, INSERT ON trackme.push_keys TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.push_subscriptions, data4help.push_messages
  TO data4help;
