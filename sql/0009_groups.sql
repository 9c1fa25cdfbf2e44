-- Group requests and the values they count (R25-R32, DAT-4, GRP-1, REQ-7): one quantised value for
-- each person, type and day, in columns of many people. They are in clear under a number that
-- discloses nothing about the person (docs/threat-model.md); the samples themselves stay sealed. A
-- worker writes them when a day is over, and again where data changed later.

-- A column has 992 people with neighbouring numbers: four rows fill a page, and none needs TOAST.
-- The table is not divided by account: without the number of a person its values cannot be
-- attributed.
CREATE TABLE data4help.day_columns (
  type   smallint NOT NULL,
  day    integer NOT NULL,
  block  integer NOT NULL,
  vals   bytea NOT NULL
         CONSTRAINT day_columns_vals_check CHECK (octet_length(vals) = 1984),
  CONSTRAINT day_columns_pkey PRIMARY KEY (type, day, block)
) PARTITION BY LIST (type);

-- By type, so that the days of one type are adjacent on disk. Numbers of DataType in Domain.
DO $$
BEGIN
  FOR number IN 1..23 LOOP
    EXECUTE format(
      'CREATE TABLE data4help.day_columns_%s PARTITION OF data4help.day_columns
         FOR VALUES IN (%s)', number, number);
  END LOOP;
END
$$;

-- The deletion of a person finds all days of the block.
CREATE INDEX day_columns_block_idx ON data4help.day_columns (block);

-- Marked in the transaction of the change; the update of marks locks the row, so that no worker
-- counts before the commit.
CREATE TABLE data4help.month_dirty (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  month       integer NOT NULL,
  marks       bigint NOT NULL,
  CONSTRAINT month_dirty_pkey PRIMARY KEY (account_id, type, month)
) WITH (fillfactor = 50);

-- A writer of day columns of a block holds the row of its slice.
CREATE TABLE data4help.closing_slices (
  slice       smallint CONSTRAINT closing_slices_pkey PRIMARY KEY,
  closed_day  integer,
  next_block  integer NOT NULL
) WITH (fillfactor = 50);

INSERT INTO data4help.closing_slices (slice, next_block)
SELECT slice, slice FROM generate_series(0, 7) AS slice;

CREATE TABLE data4help.last_cells (
  account_id  bigint CONSTRAINT last_cells_pkey PRIMARY KEY,
  cell        bytea NOT NULL,
  seen_ts     bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE data4help.group_requests (
  request_id        uuid CONSTRAINT group_requests_pkey PRIMARY KEY,
  third_party_id    bigint NOT NULL,
  types             bigint NOT NULL,
  search            text[] NOT NULL,
  breakdown         smallint NOT NULL
                    CONSTRAINT group_requests_breakdown_check CHECK (breakdown BETWEEN 0 AND 3),
  is_subscribing    boolean NOT NULL,
  duration_seconds  bigint,
  from_ts           bigint,
  to_ts             bigint,
  status            smallint NOT NULL
                    CONSTRAINT group_requests_status_check CHECK (status BETWEEN 1 AND 3),
  reason            smallint
                    CONSTRAINT group_requests_reason_check CHECK (reason BETWEEN 1 AND 4),
  created_at        timestamptz NOT NULL,
  ends_at           timestamptz,
  next_day          integer,
  looked_day        integer,
  claimed_until     timestamptz,
  price_cents       bigint NOT NULL DEFAULT 0
                    CONSTRAINT group_requests_price_cents_check CHECK (price_cents >= 0),
  paid_at           timestamptz,
  CONSTRAINT group_requests_reason_status_check CHECK ((status = 1) = (reason IS NULL)),
  CONSTRAINT group_requests_live_check
    CHECK (status <> 1 OR is_subscribing = (ends_at IS NOT NULL))
) WITH (fillfactor = 70);

CREATE INDEX group_requests_third_party_id_idx
  ON data4help.group_requests (third_party_id, created_at DESC, request_id DESC);
CREATE INDEX group_requests_live_idx
  ON data4help.group_requests (looked_day) WHERE status = 1 AND is_subscribing;

-- Released statistics are kept with the set of people they are based on: a later answer about
-- nearly the same people repeats the earlier one. Answers of different periods and breakdowns are
-- compared (R30): those of nearly the same people form a cohort, which receives one number of
-- people, one of each part, and one value of each day, in every requested period.
CREATE TABLE data4help.released_statistics (
  statistic_id  bigint GENERATED ALWAYS AS IDENTITY
                CONSTRAINT released_statistics_pkey PRIMARY KEY,
  type          smallint NOT NULL,
  first_day     integer NOT NULL,
  last_day      integer NOT NULL,
  breakdown     smallint NOT NULL,
  people        integer NOT NULL
                CONSTRAINT released_statistics_people_check CHECK (people > 1000),
  members       bytea NOT NULL,
  released_at   timestamptz NOT NULL,
  shown_people  integer NOT NULL,
  document      bytea NOT NULL,
  parts         bytea NOT NULL,
  csv           bytea NOT NULL,
  cohort        bigint,
  days          integer[] NOT NULL,
  part_csv      bytea NOT NULL
);

ALTER TABLE data4help.released_statistics ALTER COLUMN members SET STORAGE EXTERNAL;

CREATE INDEX released_statistics_people_idx
  ON data4help.released_statistics (type, first_day, last_day, breakdown, people);
CREATE INDEX released_statistics_cohorts_idx
  ON data4help.released_statistics (type, people) WHERE cohort IS NULL;
CREATE INDEX released_statistics_cohort_idx
  ON data4help.released_statistics ((coalesce(cohort, statistic_id)));

CREATE TABLE data4help.group_releases (
  request_id  uuid NOT NULL
              CONSTRAINT group_releases_request_id_fkey
              REFERENCES data4help.group_requests (request_id) ON DELETE CASCADE,
  number      integer NOT NULL,
  first_day   integer NOT NULL,
  last_day    integer NOT NULL,
  statistics  bigint[] NOT NULL,
  CONSTRAINT group_releases_pkey PRIMARY KEY (request_id, number)
);

CREATE TABLE data4help.released_days (
  cohort   bigint NOT NULL
           CONSTRAINT released_days_cohort_fkey
           REFERENCES data4help.released_statistics (statistic_id),
  day      integer NOT NULL,
  people   integer NOT NULL,
  mean     float8 NOT NULL,
  counted  integer,
  CONSTRAINT released_days_pkey PRIMARY KEY (cohort, day)
);

CREATE INDEX released_days_counted_idx
  ON data4help.released_days (cohort) INCLUDE (counted, people) WHERE counted IS NOT NULL;

CREATE TABLE data4help.released_parts (
  cohort     bigint NOT NULL
             CONSTRAINT released_parts_cohort_fkey
             REFERENCES data4help.released_statistics (statistic_id),
  breakdown  smallint NOT NULL,
  part       text NOT NULL,
  people     integer NOT NULL,
  CONSTRAINT released_parts_pkey PRIMARY KEY (cohort, breakdown, part)
);

CREATE TABLE data4help.age_band_statistics (
  type          smallint NOT NULL,
  last_day      integer NOT NULL,
  age_band      smallint NOT NULL,
  statistic_id  bigint,
  CONSTRAINT age_band_statistics_pkey PRIMARY KEY (type, last_day, age_band)
);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.day_columns, data4help.month_dirty, data4help.last_cells,
     data4help.group_requests, data4help.released_statistics, data4help.group_releases
  TO data4help;
GRANT SELECT, UPDATE ON data4help.closing_slices TO data4help;
GRANT SELECT, INSERT
  ON data4help.released_days, data4help.released_parts, data4help.age_band_statistics
  TO data4help;
