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

CREATE TABLE track4run.idempotent_answers (
  name           bytea CONSTRAINT idempotent_answers_pkey PRIMARY KEY,
  sealed_answer  bytea NOT NULL,
  answered_at    timestamptz NOT NULL,
  account_id     bigint
);

CREATE INDEX idempotent_answers_account_id_idx ON data4help.idempotent_answers (account_id);
CREATE INDEX idempotent_answers_account_id_idx ON track4run.idempotent_answers (account_id);
CREATE INDEX idempotent_answers_answered_at_idx ON data4help.idempotent_answers (answered_at);
CREATE INDEX idempotent_answers_answered_at_idx ON track4run.idempotent_answers (answered_at);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.mails, data4help.notice_heads, data4help.notices, data4help.idempotent_answers
  TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.idempotent_answers TO track4run;
