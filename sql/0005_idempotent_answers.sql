-- Answers kept for a day under an Idempotency-Key, stored in the transaction of the effect. Sealed
-- under a key derived from a server key and the client's own key, beside the hash of the body.

CREATE TABLE data4help.idempotent_answers (
  account_id     bigint NOT NULL,                -- 0 where nobody is logged in
  path           text NOT NULL,
  key_hash       bytea NOT NULL,
  body_hash      bytea NOT NULL,
  sealed_answer  bytea NOT NULL,
  answered_at    timestamptz NOT NULL,
  CONSTRAINT idempotent_answers_pkey PRIMARY KEY (account_id, path, key_hash)
);

CREATE INDEX idempotent_answers_answered_at_idx ON data4help.idempotent_answers (answered_at);

GRANT SELECT, INSERT, DELETE ON data4help.idempotent_answers TO data4help;
