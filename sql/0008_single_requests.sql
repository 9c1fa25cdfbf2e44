-- Single requests (R10-R24, REQ-1, REQ-6) and the third party's own sequence: every range of an
-- account's samples that a request delivers enters the log once, under numbers of the third party,
-- given while its row is locked.

CREATE TABLE data4help.single_requests (
  request_id        uuid CONSTRAINT single_requests_pkey PRIMARY KEY,
  third_party_id    bigint NOT NULL,
  account_id        bigint NOT NULL,
  sealed_addressee  bytea NOT NULL,              -- the email or fiscal code it was asked with
  is_by_email       boolean NOT NULL,
  types             bigint NOT NULL,             -- a bit a data type
  is_subscribing    boolean NOT NULL,
  duration_seconds  bigint,
  from_ts           bigint,
  to_ts             bigint,
  -- 1 pending, 2 accepted, 3 declined, 4 expired, 5 ended, 6 payment due
  status            smallint NOT NULL
                    CONSTRAINT single_requests_status_check CHECK (status BETWEEN 1 AND 6),
  created_at        timestamptz NOT NULL,
  answer_by         timestamptz NOT NULL,
  answered_at       timestamptz,
  accepted_types    bigint,
  accepted_seconds  bigint,
  ends_at           timestamptz,                 -- of an accepted subscription
  ended_at          timestamptz,
  end_reason        smallint,
  ended_by_user     boolean,
  relayed_seq       bigint                       -- the account's last number that entered the log
);

CREATE INDEX single_requests_third_party_id_idx
  ON data4help.single_requests (third_party_id, created_at DESC, request_id);
CREATE INDEX single_requests_account_id_idx
  ON data4help.single_requests (account_id, created_at DESC, request_id);
CREATE INDEX single_requests_answer_by_idx
  ON data4help.single_requests (answer_by) WHERE status = 1;
CREATE INDEX single_requests_live_idx
  ON data4help.single_requests (account_id)
  WHERE status = 2 AND is_subscribing AND ended_at IS NULL;

CREATE TABLE data4help.third_party_sequences (
  third_party_id  bigint CONSTRAINT third_party_sequences_pkey PRIMARY KEY,
  next_seq        bigint NOT NULL DEFAULT 1
) WITH (fillfactor = 50);

CREATE TABLE data4help.third_party_log (
  third_party_id     bigint NOT NULL,
  first_seq          bigint NOT NULL,            -- the third party's number of the first sample
  n                  integer NOT NULL,
  request_id         uuid NOT NULL,
  account_id         bigint NOT NULL,
  first_account_seq  bigint NOT NULL,
  last_account_seq   bigint NOT NULL,
  entered_at         timestamptz NOT NULL,
  CONSTRAINT third_party_log_pkey PRIMARY KEY (third_party_id, first_seq)
);

CREATE INDEX third_party_log_request_id_idx
  ON data4help.third_party_log (request_id, first_seq);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.single_requests, data4help.third_party_sequences, data4help.third_party_log
  TO data4help;
