-- Single requests, the log of each third party and payments (R10-R24, R39-R42, R47, R48, REQ-1 to
-- REQ-9, SOS-6, SOS-9). Every range of samples that a request delivers is entered once into the log
-- of the third party, under numbers of the third party, which are assigned while the row of its
-- counter is locked.

-- Check-in requests show the run in the list, the notice and the mail (R47). One row for each run,
-- so that all its requests show its newest name.
CREATE TABLE data4help.check_in_runs (
  run_id    bigint CONSTRAINT check_in_runs_pkey PRIMARY KEY,
  code      text NOT NULL,
  run_name  text NOT NULL
);
COMMENT ON TABLE data4help.check_in_runs IS
  'Runs of check-in requests; a run without requests is removed';
COMMENT ON COLUMN data4help.check_in_runs.run_id IS 'Of track4run.runs';
COMMENT ON COLUMN data4help.check_in_runs.code IS 'The public code of the run (RUN-4)';

CREATE TABLE data4help.single_requests (
  request_id        uuid CONSTRAINT single_requests_pkey PRIMARY KEY,
  third_party_id    bigint NOT NULL,
  account_id        bigint NOT NULL,
  sealed_addressee  bytea NOT NULL,
  is_by_email       boolean NOT NULL,
  types             bigint NOT NULL,
  is_subscribing    boolean NOT NULL,
  duration_seconds  bigint,
  from_ts           bigint,
  to_ts             bigint,
  status            smallint NOT NULL
                    CONSTRAINT single_requests_status_check CHECK (status BETWEEN 1 AND 6),
  created_at        timestamptz NOT NULL,
  answer_by         timestamptz NOT NULL,
  answered_at       timestamptz,
  accepted_types    bigint,
  ends_at           timestamptz,
  ended_at          timestamptz,
  end_reason        smallint
                    CONSTRAINT single_requests_end_reason_check CHECK (end_reason BETWEEN 1 AND 5),
  relayed_seq       bigint,
  reminders         smallint NOT NULL DEFAULT 0,
  preconfirmed_at   timestamptz,
  price_cents       bigint NOT NULL DEFAULT 0
                    CONSTRAINT single_requests_price_cents_check CHECK (price_cents >= 0),
  is_check_in       boolean NOT NULL DEFAULT false,
  recipient_id      bigint NOT NULL
                    GENERATED ALWAYS AS (CASE WHEN is_check_in THEN 0 ELSE third_party_id END)
                    STORED,
  run_id            bigint
                    CONSTRAINT single_requests_run_id_fkey
                    REFERENCES data4help.check_in_runs (run_id),
  CONSTRAINT single_requests_accepted_check
    CHECK ((accepted_types IS NULL) = (status IN (1, 3, 4))
      AND (relayed_seq IS NULL) = (accepted_types IS NULL)
      AND (answered_at IS NULL) = (status IN (1, 4))),
  CONSTRAINT single_requests_ended_check
    CHECK ((status = 5) = (end_reason IS NOT NULL) AND (status = 5) = (ended_at IS NOT NULL)),
  CONSTRAINT single_requests_live_check
    CHECK (status <> 2 OR is_subscribing = (ends_at IS NOT NULL)),
  CONSTRAINT single_requests_preconfirmed_check
    CHECK (preconfirmed_at IS NULL OR preconfirmed_at <= created_at),
  -- An organiser refers to a runner by the run, pays nothing, and no list accepts for the runner.
  CONSTRAINT single_requests_check_in_check
    CHECK (NOT is_check_in
           OR sealed_addressee = '' AND price_cents = 0 AND preconfirmed_at IS NULL)
) WITH (fillfactor = 70);
COMMENT ON TABLE data4help.single_requests IS
  'Requests of third parties for data of one person, check-in requests of runs included';
COMMENT ON COLUMN data4help.single_requests.third_party_id IS
  'The requester; the organiser of the run for a check-in';
COMMENT ON COLUMN data4help.single_requests.account_id IS 'The person';
COMMENT ON COLUMN data4help.single_requests.sealed_addressee IS
  'Sealed with the key of the third party: the email or fiscal code of the request as text; '
  'empty for a check-in';
COMMENT ON COLUMN data4help.single_requests.is_by_email IS
  'Whether the addressee is an email, else a fiscal code';
COMMENT ON COLUMN data4help.single_requests.types IS
  'Requested data types: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.single_requests.is_subscribing IS
  'Whether later samples are requested too, until ends_at';
COMMENT ON COLUMN data4help.single_requests.duration_seconds IS
  'Duration of the subscription; NULL without one';
COMMENT ON COLUMN data4help.single_requests.from_ts IS
  'Begin of the requested period, milliseconds since 1970-01-01T00:00:00Z; NULL without a bound';
COMMENT ON COLUMN data4help.single_requests.to_ts IS
  'End of the requested period, milliseconds since 1970-01-01T00:00:00Z; NULL without a bound';
COMMENT ON COLUMN data4help.single_requests.status IS
  '1 pending, 2 accepted, 3 declined, 4 expired, 5 ended, 6 payment due';
COMMENT ON COLUMN data4help.single_requests.answer_by IS 'A pending request expires then';
COMMENT ON COLUMN data4help.single_requests.answered_at IS 'NULL without an answer';
COMMENT ON COLUMN data4help.single_requests.accepted_types IS
  'Accepted data types, as in types; NULL where none was accepted';
COMMENT ON COLUMN data4help.single_requests.ends_at IS
  'End of an accepted subscription; NULL otherwise';
COMMENT ON COLUMN data4help.single_requests.end_reason IS
  '1 by the user, 2 by the third party, 3 period over, 4 no data, 5 account deleted; NULL before';
COMMENT ON COLUMN data4help.single_requests.relayed_seq IS
  'Number of the last sample of the account that was considered for the log; NULL unless accepted';
COMMENT ON COLUMN data4help.single_requests.reminders IS
  'Reminders of the end of the subscription: 0 none, 1 three days before, 2 one day before';
COMMENT ON COLUMN data4help.single_requests.preconfirmed_at IS
  'Since when the user had listed the third party as trusted, which is the proof of the consent '
  '(REQ-3); NULL for a request that the user has answered';
COMMENT ON COLUMN data4help.single_requests.price_cents IS
  'Price at the time of the request, in cents of a euro';
COMMENT ON COLUMN data4help.single_requests.is_check_in IS 'Whether Track4Run sent it for a run';
COMMENT ON COLUMN data4help.single_requests.recipient_id IS
  'The third party whose log has the data; 0, which is no account, for Track4Run';
COMMENT ON COLUMN data4help.single_requests.run_id IS 'NULL for a request other than a check-in';

CREATE INDEX single_requests_third_party_id_idx
  ON data4help.single_requests (third_party_id, created_at DESC, request_id DESC);
CREATE INDEX single_requests_account_id_idx
  ON data4help.single_requests (account_id, created_at DESC, request_id DESC);
CREATE INDEX single_requests_answer_by_idx
  ON data4help.single_requests (answer_by) WHERE status = 1;
CREATE INDEX single_requests_live_idx
  ON data4help.single_requests (account_id) WHERE status = 2 AND is_subscribing;
CREATE INDEX single_requests_ends_at_idx
  ON data4help.single_requests (ends_at) WHERE status = 2 AND is_subscribing;
-- Pending requests of a third party to a person are counted with each request (REQ-1).
CREATE INDEX single_requests_pending_idx
  ON data4help.single_requests (account_id, third_party_id, answer_by) WHERE status = 1;
-- Monitored people in a live run have a higher upper bound of the heart rate (SOS-1): every process
-- reads the live check-ins every ten seconds.
CREATE INDEX single_requests_live_check_in_idx
  ON data4help.single_requests (to_ts) WHERE is_check_in AND status = 2;
CREATE INDEX single_requests_run_id_idx
  ON data4help.single_requests (run_id) WHERE run_id IS NOT NULL;

-- The statement that writes the log updates this row, which numbers entries in the order of
-- commits: a reader that remembers the last number misses none.
CREATE TABLE data4help.third_party_sequences (
  third_party_id  bigint CONSTRAINT third_party_sequences_pkey PRIMARY KEY,
  next_seq        bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.third_party_sequences IS 'The counter of the log of a third party';
COMMENT ON COLUMN data4help.third_party_sequences.third_party_id IS '0 for Track4Run';
COMMENT ON COLUMN data4help.third_party_sequences.next_seq IS 'Number of the next entry';

-- An entry of samples assigns the numbers from first_seq to last_seq to the samples of the request
-- from first_account_seq on, as far as they have these types. Numbers without a sample remain
-- unused.
CREATE TABLE data4help.third_party_log (
  third_party_id     bigint NOT NULL,
  first_seq          bigint NOT NULL,
  last_seq           bigint NOT NULL,
  request_id         uuid NOT NULL,
  types              bigint NOT NULL,
  first_account_seq  bigint NOT NULL,
  entered_at         timestamptz NOT NULL,
  kind               smallint NOT NULL DEFAULT 1
                     CONSTRAINT third_party_log_kind_check CHECK (kind BETWEEN 1 AND 8),
  status             smallint,
  reason             smallint,
  from_ts            bigint,
  to_ts              bigint,
  sealed_account     bytea,
  CONSTRAINT third_party_log_pkey PRIMARY KEY (third_party_id, first_seq),
  CONSTRAINT third_party_log_last_seq_check CHECK (last_seq >= first_seq),
  CONSTRAINT third_party_log_sealed_account_check
    CHECK ((kind = 6) = (sealed_account IS NOT NULL))
);
COMMENT ON TABLE data4help.third_party_log IS
  'The numbered sequence of a third party: samples, answers, ends, erasures and calls';
COMMENT ON COLUMN data4help.third_party_log.third_party_id IS '0 for Track4Run';
COMMENT ON COLUMN data4help.third_party_log.first_seq IS 'First number of the third party';
COMMENT ON COLUMN data4help.third_party_log.last_seq IS
  'Last number of the third party; first_seq for an entry without samples';
COMMENT ON COLUMN data4help.third_party_log.request_id IS
  'The request; the entry itself for kind 6, the emergency for kinds 7 and 8';
COMMENT ON COLUMN data4help.third_party_log.types IS
  'Data types of the entry: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.third_party_log.first_account_seq IS
  'Number of the first sample within the account; 0 for an entry without samples';
COMMENT ON COLUMN data4help.third_party_log.kind IS
  '1 samples, 2 answer, 3 end, 4 erased samples, 5 types unavailable, 6 deleted account (Track4Run '
  'only), 7 call to a hospital, 8 end of that call';
COMMENT ON COLUMN data4help.third_party_log.status IS
  'Status of the request after the answer, as in single_requests; NULL for other kinds';
COMMENT ON COLUMN data4help.third_party_log.reason IS
  'Of an end as single_requests.end_reason; of unavailable types 1 switched off, 2 account '
  'inactive, 3 collection paused; of the end of a call 1 false alarm, 2 another hospital has it, '
  '3 closed, 4 unanswered; NULL for other kinds';
COMMENT ON COLUMN data4help.third_party_log.from_ts IS
  'Of erased samples: first time, milliseconds since 1970-01-01T00:00:00Z; NULL otherwise';
COMMENT ON COLUMN data4help.third_party_log.to_ts IS
  'Of erased samples: last time, milliseconds since 1970-01-01T00:00:00Z; NULL otherwise';
COMMENT ON COLUMN data4help.third_party_log.sealed_account IS
  'Sealed with a server key: the number of the deleted account as text; NULL for other kinds';

CREATE INDEX third_party_log_request_id_idx
  ON data4help.third_party_log (request_id, last_seq) WHERE kind = 1;

CREATE TABLE data4help.preconfirmed_third_parties (
  account_id      bigint NOT NULL
                  CONSTRAINT preconfirmed_third_parties_account_id_fkey
                  REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  third_party_id  bigint NOT NULL
                  CONSTRAINT preconfirmed_third_parties_third_party_id_fkey
                  REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  listed_at       timestamptz NOT NULL,
  CONSTRAINT preconfirmed_third_parties_pkey PRIMARY KEY (account_id, third_party_id)
);
COMMENT ON TABLE data4help.preconfirmed_third_parties IS
  'Third parties whose requests a person has accepted in advance (REQ-3)';

CREATE INDEX preconfirmed_third_parties_third_party_id_idx
  ON data4help.preconfirmed_third_parties (third_party_id);
CREATE INDEX preconfirmed_third_parties_listed_at_idx
  ON data4help.preconfirmed_third_parties (account_id, listed_at DESC, third_party_id DESC);

-- One row for each single or group request with a price, from the time at which it is due (REQ-7,
-- REQ-8).
CREATE TABLE data4help.payments (
  request_id      uuid CONSTRAINT payments_pkey PRIMARY KEY,
  third_party_id  bigint NOT NULL,
  amount_cents    bigint NOT NULL
                  CONSTRAINT payments_amount_cents_check CHECK (amount_cents > 0),
  due_at          timestamptz NOT NULL,
  attempt         integer NOT NULL DEFAULT 0,
  opened_at       timestamptz,
  checkout_id     text,
  checkout_url    text,
  paid_at         timestamptz,
  broker          text
);
COMMENT ON TABLE data4help.payments IS 'Payments of requests';
COMMENT ON COLUMN data4help.payments.request_id IS 'Of single_requests or group_requests';
COMMENT ON COLUMN data4help.payments.amount_cents IS 'In cents of a euro';
COMMENT ON COLUMN data4help.payments.attempt IS 'Number of checkout pages that were opened';
COMMENT ON COLUMN data4help.payments.opened_at IS 'When the newest page was opened; NULL before';
COMMENT ON COLUMN data4help.payments.checkout_id IS
  'Identifier at the broker of the newest page, or of the page that was paid; NULL without one';
COMMENT ON COLUMN data4help.payments.checkout_url IS 'Address of the newest page; NULL without one';
COMMENT ON COLUMN data4help.payments.broker IS
  'Origin of the newest page: after a change of the broker it is no longer shown; NULL before the '
  'first page';

CREATE INDEX payments_third_party_id_idx
  ON data4help.payments (third_party_id, due_at DESC, request_id DESC);

-- FOR SHARE on preconfirmed_third_parties requires the right to update.
GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.check_in_runs, data4help.single_requests, data4help.third_party_sequences,
     data4help.third_party_log, data4help.preconfirmed_third_parties, data4help.payments
  TO data4help;
