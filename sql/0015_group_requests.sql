-- Group requests and their released answers (R25 to R32, GRP-1). What was released stays, with the
-- set of people it rests on: a later answer about nearly the same people is the earlier one.

CREATE TABLE data4help.group_requests (
  request_id        uuid CONSTRAINT group_requests_pkey PRIMARY KEY,
  third_party_id    bigint NOT NULL,
  types             bigint NOT NULL,             -- a bit a data type
  search            text[] NOT NULL,             -- the parameters as they were written
  breakdown         smallint NOT NULL            -- 0 none, 1 age band, 2 sex, 3 region
                    CONSTRAINT group_requests_breakdown_check CHECK (breakdown BETWEEN 0 AND 3),
  is_subscribing    boolean NOT NULL,
  duration_seconds  bigint,
  from_ts           bigint,                      -- milliseconds since 1970-01-01T00:00:00Z
  to_ts             bigint,
  -- 1 approved, 2 refused, 3 ended
  status            smallint NOT NULL
                    CONSTRAINT group_requests_status_check CHECK (status BETWEEN 1 AND 3),
  -- 1 too few people, 2 no data, 3 ended by the third party, 4 period over
  reason            smallint
                    CONSTRAINT group_requests_reason_check CHECK (reason BETWEEN 1 AND 4),
  created_at        timestamptz NOT NULL,
  ends_at           timestamptz,                 -- of a subscription
  next_day          integer,                     -- the first day of its next window
  looked_day        integer,                     -- up to where it was looked at
  claimed_until     timestamptz,                 -- a worker counts its next window
  CONSTRAINT group_requests_reason_status_check CHECK ((status = 1) = (reason IS NULL)),
  CONSTRAINT group_requests_live_check
    CHECK (status <> 1 OR is_subscribing = (ends_at IS NOT NULL))
) WITH (fillfactor = 70);

CREATE INDEX group_requests_third_party_id_idx
  ON data4help.group_requests (third_party_id, created_at DESC, request_id DESC);
CREATE INDEX group_requests_live_idx
  ON data4help.group_requests (looked_day) WHERE status = 1 AND is_subscribing;

CREATE TABLE data4help.released_statistics (
  statistic_id   bigint GENERATED ALWAYS AS IDENTITY
                 CONSTRAINT released_statistics_pkey PRIMARY KEY,
  type           smallint NOT NULL,
  first_day      integer NOT NULL,
  last_day       integer NOT NULL,
  breakdown      smallint NOT NULL,
  people         integer NOT NULL
                 CONSTRAINT released_statistics_people_check CHECK (people > 1000),
  members        bytea NOT NULL,                 -- a bit a member number
  released_at    timestamptz NOT NULL,
  shown_people   integer NOT NULL,
  document       bytea NOT NULL,                 -- JSON of the type
  parts          bytea NOT NULL,                 -- JSON of its parts, separated by commas
  csv            bytea NOT NULL
);

ALTER TABLE data4help.released_statistics ALTER COLUMN members SET STORAGE EXTERNAL;

CREATE INDEX released_statistics_people_idx
  ON data4help.released_statistics (type, first_day, last_day, breakdown, people);

CREATE TABLE data4help.group_releases (
  request_id     uuid NOT NULL
                 CONSTRAINT group_releases_request_id_fkey
                 REFERENCES data4help.group_requests (request_id) ON DELETE CASCADE,
  number         integer NOT NULL,               -- from 1, a window each
  first_day      integer NOT NULL,
  last_day       integer NOT NULL,
  statistics     bigint[] NOT NULL,
  CONSTRAINT group_releases_pkey PRIMARY KEY (request_id, number)
);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.group_requests, data4help.released_statistics, data4help.group_releases
  TO data4help;
