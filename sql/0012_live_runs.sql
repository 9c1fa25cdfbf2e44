-- What runners share in a run, as it arrives and is shown live, and the exchange of Track4Run with
-- Data4Help (R39-R42, R49, R52, ACC-8, NFR-4, RUN-2, RUN-5, RUN-6, RUN-8, RUN-12, RUN-13, RUN-15).

-- Only the one process that follows Data4Help inserts, so that numbers are in the order of commits.
CREATE TABLE track4run.run_data (
  run_id          bigint NOT NULL,
  number          integer NOT NULL,
  stream_seq      bigint NOT NULL,
  sealed_samples  bytea NOT NULL,
  CONSTRAINT run_data_pkey PRIMARY KEY (run_id, number, stream_seq),
  CONSTRAINT run_data_number_fkey
    FOREIGN KEY (run_id, number) REFERENCES track4run.enrolments (run_id, number)
    ON DELETE CASCADE
);
COMMENT ON TABLE track4run.run_data IS
  'Positions and health data that a runner shared between two numbers of the log of Data4Help';
COMMENT ON COLUMN track4run.run_data.number IS 'Number of the runner, as in enrolments';
COMMENT ON COLUMN track4run.run_data.stream_seq IS
  'Last number of the log of Data4Help in the row: replicas continue from it';
COMMENT ON COLUMN track4run.run_data.sealed_samples IS
  'Sealed with a key of the run, derived from a server key: packed samples (PackedSamples)';

-- Replicas continue from a number, in all runs.
CREATE INDEX run_data_stream_seq_idx ON track4run.run_data (stream_seq);

CREATE TABLE track4run.audiences (
  run_id      bigint NOT NULL
              CONSTRAINT audiences_run_id_fkey
              REFERENCES track4run.runs (run_id) ON DELETE CASCADE,
  process_id  uuid NOT NULL,
  streams     integer NOT NULL CONSTRAINT audiences_streams_check CHECK (streams >= 0),
  noted_at    timestamptz NOT NULL,
  CONSTRAINT audiences_pkey PRIMARY KEY (run_id, process_id)
);
COMMENT ON TABLE track4run.audiences IS
  'Numbers of spectators of a run (RUN-15), without anything about the spectators';
COMMENT ON COLUMN track4run.audiences.process_id IS 'A process of Track4Run or of the gateway';
COMMENT ON COLUMN track4run.audiences.streams IS
  'Open streams of a process of Track4Run; addresses that poll of a gateway';

-- Orders are written in the transaction of their cause (R39-R42, R49, RUN-2, RUN-13).
CREATE TABLE track4run.outbox (
  order_id         uuid CONSTRAINT outbox_pkey PRIMARY KEY,
  number           bigint GENERATED ALWAYS AS IDENTITY,
  kind             smallint NOT NULL CONSTRAINT outbox_kind_check CHECK (kind BETWEEN 1 AND 4),
  run_id           bigint,
  sealed_order     bytea NOT NULL,
  added_at         timestamptz NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  refused_at       timestamptz,
  CONSTRAINT outbox_run_id_check CHECK ((kind = 1) = (run_id IS NOT NULL))
) WITH (fillfactor = 80);
COMMENT ON TABLE track4run.outbox IS 'Orders of Track4Run to Data4Help that are not carried out';
COMMENT ON COLUMN track4run.outbox.order_id IS 'Also the Idempotency-Key of the order';
COMMENT ON COLUMN track4run.outbox.number IS 'In the order of writing';
COMMENT ON COLUMN track4run.outbox.kind IS
  '1 send check-in requests, 2 end check-ins, 3 notice, 4 mail';
COMMENT ON COLUMN track4run.outbox.run_id IS 'Of kind 1; NULL for other kinds';
COMMENT ON COLUMN track4run.outbox.sealed_order IS 'Sealed with a server key: the order as JSON';
COMMENT ON COLUMN track4run.outbox.attempts IS
  'Failed attempts while Data4Help was available';
COMMENT ON COLUMN track4run.outbox.refused_at IS
  'When Data4Help refused it for good: it is not sent again; NULL otherwise';

CREATE INDEX outbox_number_idx ON track4run.outbox (number) WHERE refused_at IS NULL;

CREATE TABLE track4run.duties (
  duty        smallint CONSTRAINT duties_pkey PRIMARY KEY,
  holder_id   uuid,
  held_until  timestamptz,
  CONSTRAINT duties_held_check CHECK ((holder_id IS NULL) = (held_until IS NULL))
) WITH (fillfactor = 50);
COMMENT ON TABLE track4run.duties IS 'Leases for work that one process of all replicas does';
COMMENT ON COLUMN track4run.duties.duty IS '1 the exchange with Data4Help';
COMMENT ON COLUMN track4run.duties.holder_id IS 'The process; NULL without one';
COMMENT ON COLUMN track4run.duties.held_until IS 'End of the lease; NULL without one';

INSERT INTO track4run.duties (duty) VALUES (1);

CREATE TABLE track4run.following (
  is_only      boolean DEFAULT true CONSTRAINT following_pkey PRIMARY KEY
               CONSTRAINT following_is_only_check CHECK (is_only),
  last_number  bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE track4run.following IS 'How far the log of Data4Help has been read: one row';
COMMENT ON COLUMN track4run.following.is_only IS 'Always true: limits the table to one row';
COMMENT ON COLUMN track4run.following.last_number IS
  'Last number of the log of Data4Help whose effect is stored';

INSERT INTO track4run.following (last_number) VALUES (0);

-- Events that fail repeatedly, so that one does not delay the others (NFR-4). Their data is not
-- kept: it is read from Data4Help again.
CREATE TABLE track4run.events_aside (
  number           bigint CONSTRAINT events_aside_pkey PRIMARY KEY,
  behind           bigint NOT NULL,
  kind             smallint NOT NULL
                   CONSTRAINT events_aside_kind_check CHECK (kind BETWEEN 1 AND 6),
  request_id       uuid,
  reason           text NOT NULL,
  attempts         integer NOT NULL,
  set_aside_at     timestamptz NOT NULL,
  next_attempt_at  timestamptz NOT NULL,
  CONSTRAINT events_aside_behind_check CHECK (behind < number)
) WITH (fillfactor = 80);
COMMENT ON TABLE track4run.events_aside IS
  'Dead letters: events of Data4Help that failed and are tried again';
COMMENT ON COLUMN track4run.events_aside.number IS 'In the log of Data4Help';
COMMENT ON COLUMN track4run.events_aside.behind IS
  'The number after which Data4Help is asked for the event';
COMMENT ON COLUMN track4run.events_aside.kind IS
  '1 samples, 2 answer, 3 end, 4 erasure, 5 deleted account, 6 unreadable';
COMMENT ON COLUMN track4run.events_aside.request_id IS 'The check-in request; NULL where unknown';
COMMENT ON COLUMN track4run.events_aside.reason IS 'The error in words, without personal data';
COMMENT ON COLUMN track4run.events_aside.attempts IS 'Failed attempts';

CREATE INDEX events_aside_next_attempt_at_idx ON track4run.events_aside (next_attempt_at);
CREATE INDEX events_aside_request_id_idx
  ON track4run.events_aside (request_id) WHERE kind IN (2, 3);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON track4run.run_data, track4run.audiences, track4run.outbox, track4run.events_aside
  TO track4run;
GRANT SELECT, UPDATE ON track4run.duties, track4run.following TO track4run;

-- Each gateway writes how many addresses poll a run; it stores no address.
GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.audiences TO gateway;
GRANT SELECT (run_id) ON track4run.runs TO gateway;
GRANT SELECT (run_id, code) ON track4run.publications TO gateway;
