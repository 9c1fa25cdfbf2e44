-- Single requests (R10-R24, REQ-1, REQ-6) and the third party's own sequence: every range of an
-- account's samples that a request delivers enters the log once, under numbers of the third party,
-- given while its row is locked.

CREATE TABLE data4help.single_requests (
  request_id        uuid CONSTRAINT single_requests_pkey PRIMARY KEY,
  third_party_id    bigint NOT NULL,
  account_id        bigint NOT NULL,
  sealed_addressee  bytea NOT NULL,              -- the email or fiscal code it was asked with, by
                                                 -- the third party's key
  is_by_email       boolean NOT NULL,
  types             bigint NOT NULL,             -- a bit a data type
  is_subscribing    boolean NOT NULL,
  duration_seconds  bigint,
  from_ts           bigint,                      -- milliseconds since 1970-01-01T00:00:00Z
  to_ts             bigint,
  -- 1 pending, 2 accepted, 3 declined, 4 expired, 5 ended, 6 payment due
  status            smallint NOT NULL
                    CONSTRAINT single_requests_status_check CHECK (status BETWEEN 1 AND 6),
  created_at        timestamptz NOT NULL,
  answer_by         timestamptz NOT NULL,
  answered_at       timestamptz,
  accepted_types    bigint,
  ends_at           timestamptz,                 -- of an accepted subscription
  ended_at          timestamptz,
  -- 1 by the user, 2 by the third party, 3 period over, 4 no data, 5 account deleted
  end_reason        smallint
                    CONSTRAINT single_requests_end_reason_check CHECK (end_reason BETWEEN 1 AND 5),
  relayed_seq       bigint,                      -- the account's last number that was looked at
  CONSTRAINT single_requests_accepted_check
    CHECK ((accepted_types IS NULL) = (status IN (1, 3, 4))
      AND (relayed_seq IS NULL) = (accepted_types IS NULL)
      AND (answered_at IS NULL) = (status IN (1, 4))),
  CONSTRAINT single_requests_ended_check
    CHECK ((status = 5) = (end_reason IS NOT NULL) AND (status = 5) = (ended_at IS NOT NULL)),
  CONSTRAINT single_requests_live_check
    CHECK (status <> 2 OR is_subscribing = (ends_at IS NOT NULL))
) WITH (fillfactor = 70);

CREATE INDEX single_requests_third_party_id_idx
  ON data4help.single_requests (third_party_id, created_at DESC, request_id DESC);
CREATE INDEX single_requests_account_id_idx
  ON data4help.single_requests (account_id, created_at DESC, request_id DESC);
CREATE INDEX single_requests_answer_by_idx
  ON data4help.single_requests (answer_by) WHERE status = 1;
CREATE INDEX single_requests_live_idx
  ON data4help.single_requests (account_id) WHERE status = 2 AND is_subscribing;

-- One row a third party: its update in the statement that writes the log gives numbers in the order
-- of commits, so that a reader that remembers the last number misses none.
CREATE TABLE data4help.third_party_sequences (
  third_party_id  bigint CONSTRAINT third_party_sequences_pkey PRIMARY KEY,
  next_seq        bigint NOT NULL
) WITH (fillfactor = 50);

-- A row says: the request's samples from `first_account_seq` on have the third party's numbers from
-- `first_seq` to `last_seq`, as far as they are of these types. Numbers of samples that it does not
-- reach stay unused.
CREATE TABLE data4help.third_party_log (
  third_party_id     bigint NOT NULL,
  first_seq          bigint NOT NULL,
  last_seq           bigint NOT NULL,
  request_id         uuid NOT NULL,
  types              bigint NOT NULL,
  first_account_seq  bigint NOT NULL,
  entered_at         timestamptz NOT NULL,
  CONSTRAINT third_party_log_pkey PRIMARY KEY (third_party_id, first_seq),
  CONSTRAINT third_party_log_last_seq_check CHECK (last_seq >= first_seq)
);

CREATE INDEX third_party_log_request_id_idx
  ON data4help.third_party_log (request_id, last_seq);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.single_requests, data4help.third_party_sequences, data4help.third_party_log
  TO data4help;
