-- Mails, notices and answers kept for repetitions (ACC-1, ACC-7, ACC-8, NTF-1, REQ-4, R21, R24).
-- Each is written in the transaction of its cause, so that none is lost and none reports what did
-- not happen.

CREATE TABLE data4help.mails (
  mail_id          uuid CONSTRAINT mails_pkey PRIMARY KEY,
  sealed_message   bytea NOT NULL,
  queued_at        timestamptz NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  leased_until     timestamptz,
  sent_at          timestamptz,
  failed_at        timestamptz,
  last_error       text,
  account_id       bigint
                   CONSTRAINT mails_account_id_fkey
                   REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  request_id       uuid,
  CONSTRAINT mails_ended_check CHECK (sent_at IS NULL OR failed_at IS NULL)
);
COMMENT ON TABLE data4help.mails IS 'The queue of mails';
COMMENT ON COLUMN data4help.mails.mail_id IS 'Ordered by time; part of the Message-ID';
COMMENT ON COLUMN data4help.mails.sealed_message IS
  'Sealed with the server key for mail: addresses, subject, text and attachment as JSON; empty '
  'once the mail was sent or has failed';
COMMENT ON COLUMN data4help.mails.attempts IS 'Attempts to send it';
COMMENT ON COLUMN data4help.mails.leased_until IS
  'Until then one process sends it; NULL while none does';
COMMENT ON COLUMN data4help.mails.sent_at IS 'When a mail server accepted it; NULL before';
COMMENT ON COLUMN data4help.mails.failed_at IS 'When it was abandoned; NULL otherwise';
COMMENT ON COLUMN data4help.mails.last_error IS 'Of the last failed attempt; NULL without one';
COMMENT ON COLUMN data4help.mails.account_id IS
  'The account that the mail concerns and with which it is deleted; NULL without one';
COMMENT ON COLUMN data4help.mails.request_id IS
  'The request whose data it contains and with which it is deleted; NULL without health data';

CREATE INDEX mails_next_attempt_at_idx
  ON data4help.mails (next_attempt_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_ended_at_idx
  ON data4help.mails (coalesce(sent_at, failed_at))
  WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL;
CREATE INDEX mails_account_id_idx
  ON data4help.mails (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX mails_request_id_idx
  ON data4help.mails (request_id) WHERE request_id IS NOT NULL;

-- The update of this row numbers the notices of an account in the order of commits.
CREATE TABLE data4help.notice_heads (
  account_id    bigint CONSTRAINT notice_heads_pkey PRIMARY KEY,
  count         bigint NOT NULL,
  pushed        bigint NOT NULL DEFAULT 0,
  mailed_kinds  smallint NOT NULL DEFAULT 127
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.notice_heads IS 'The counter and settings of notices of an account';
COMMENT ON COLUMN data4help.notice_heads.count IS 'Number of the last notice';
COMMENT ON COLUMN data4help.notice_heads.pushed IS
  'Number of the last notice that a stream of the account has received';
COMMENT ON COLUMN data4help.notice_heads.mailed_kinds IS
  'Kinds that are sent by mail: bit n - 1 is the kind n of notices';

CREATE TABLE data4help.notices (
  account_id      bigint NOT NULL,
  number          bigint NOT NULL,
  kind            smallint NOT NULL CONSTRAINT notices_kind_check CHECK (kind BETWEEN 1 AND 7),
  created_at      timestamptz NOT NULL,
  is_read         boolean NOT NULL DEFAULT false,
  mail_at         timestamptz,
  sealed_payload  bytea NOT NULL,
  CONSTRAINT notices_pkey PRIMARY KEY (account_id, number)
) WITH (fillfactor = 90);
COMMENT ON TABLE data4help.notices IS 'Notices to accounts (NTF-1)';
COMMENT ON COLUMN data4help.notices.number IS 'Within the account, from 1 without a gap';
COMMENT ON COLUMN data4help.notices.kind IS
  '1 request, 2 answer, 3 ended, 4 room, 5 security, 6 alarm, 7 run';
COMMENT ON COLUMN data4help.notices.mail_at IS
  'When it is sent by mail unless it was read or pushed; NULL for no mail';
COMMENT ON COLUMN data4help.notices.sealed_payload IS
  'Sealed with the key of the account, since a request discloses its sender: the payload as JSON';

CREATE INDEX notices_unread_idx ON data4help.notices (account_id) WHERE NOT is_read;
CREATE INDEX notices_mail_at_idx ON data4help.notices (mail_at) WHERE mail_at IS NOT NULL;

-- Kept for a day under an Idempotency-Key. Name and sealing key derive from a server key, the
-- account, the path and the key of the client; the hash of the body is sealed with the answer. Each
-- service finds its own table by its search path.
CREATE TABLE data4help.idempotent_answers (
  name           bytea CONSTRAINT idempotent_answers_pkey PRIMARY KEY,
  sealed_answer  bytea NOT NULL,
  answered_at    timestamptz NOT NULL,
  account_id     bigint
);
COMMENT ON TABLE data4help.idempotent_answers IS 'Answers of Data4Help to repeated requests';
COMMENT ON COLUMN data4help.idempotent_answers.name IS
  'Derived from account, path and Idempotency-Key: 32 bytes that disclose none of them';
COMMENT ON COLUMN data4help.idempotent_answers.sealed_answer IS
  'Sealed with a key that derives from the Idempotency-Key: SHA-256 of the body of the request, '
  'status, body and fields of the answer, each after its length in four bytes';
COMMENT ON COLUMN data4help.idempotent_answers.account_id IS
  'The account with which the answer is deleted; NULL for a request without login';

CREATE TABLE track4run.idempotent_answers (
  name           bytea CONSTRAINT idempotent_answers_pkey PRIMARY KEY,
  sealed_answer  bytea NOT NULL,
  answered_at    timestamptz NOT NULL,
  account_id     bigint
);
COMMENT ON TABLE track4run.idempotent_answers IS 'Answers of Track4Run to repeated requests';
COMMENT ON COLUMN track4run.idempotent_answers.name IS 'As in data4help.idempotent_answers';
COMMENT ON COLUMN track4run.idempotent_answers.sealed_answer IS
  'As in data4help.idempotent_answers';
COMMENT ON COLUMN track4run.idempotent_answers.account_id IS
  'As in data4help.idempotent_answers';

CREATE INDEX idempotent_answers_account_id_idx ON data4help.idempotent_answers (account_id);
CREATE INDEX idempotent_answers_account_id_idx ON track4run.idempotent_answers (account_id);
CREATE INDEX idempotent_answers_answered_at_idx ON data4help.idempotent_answers (answered_at);
CREATE INDEX idempotent_answers_answered_at_idx ON track4run.idempotent_answers (answered_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.mails, data4help.notice_heads, data4help.notices, data4help.idempotent_answers
  TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.idempotent_answers TO track4run;
