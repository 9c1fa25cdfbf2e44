-- Answers kept for a day under an Idempotency-Key, stored in the transaction of the effect. Name
-- and sealing key derive from a server key, the account, the path and the client's own key; the
-- hash of the body is sealed with the answer. Each service has its own table, found by its search
-- path.

CREATE TABLE data4help.idempotent_answers (
  name           bytea CONSTRAINT idempotent_answers_pkey PRIMARY KEY,
  sealed_answer  bytea NOT NULL,
  answered_at    timestamptz NOT NULL,
  account_id     bigint                          -- none without login; whose answer goes with it
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

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.idempotent_answers TO data4help;
GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.idempotent_answers TO track4run;
