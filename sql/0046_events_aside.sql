-- Events of Data4Help's sequence that failed for themselves, so that one of them holds up nobody
-- (NFR-4). Nothing of what they tell is kept here: Data4Help is asked for them again.

CREATE TABLE track4run.events_aside (
  number           bigint CONSTRAINT events_aside_pkey PRIMARY KEY, -- in Data4Help's sequence
  behind           bigint NOT NULL,              -- the number to ask for it behind
  -- 1 samples, 2 an answer, 3 an end, 4 an erasure, 5 an account that was deleted, 6 not known
  kind             smallint NOT NULL
                   CONSTRAINT events_aside_kind_check CHECK (kind BETWEEN 1 AND 6),
  request_id       uuid,                         -- of which check-in, where that is known
  reason           text NOT NULL,                -- in words, without data of anybody
  attempts         integer NOT NULL,             -- in vain
  set_aside_at     timestamptz NOT NULL,
  next_attempt_at  timestamptz NOT NULL,
  CONSTRAINT events_aside_behind_check CHECK (behind < number)
) WITH (fillfactor = 80);

CREATE INDEX events_aside_next_attempt_at_idx ON track4run.events_aside (next_attempt_at);
CREATE INDEX events_aside_request_id_idx
  ON track4run.events_aside (request_id) WHERE kind IN (2, 3);

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.events_aside TO track4run;
