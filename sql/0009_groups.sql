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
COMMENT ON TABLE data4help.day_columns IS 'Values of a data type and a day of 992 people';
COMMENT ON COLUMN data4help.day_columns.type IS 'Storage code of the data type (DataType)';
COMMENT ON COLUMN data4help.day_columns.day IS
  'Days since 1970-01-01 in the time zone of the installation';
COMMENT ON COLUMN data4help.day_columns.block IS 'accounts.member / 992';
COMMENT ON COLUMN data4help.day_columns.vals IS
  'For each person two bytes, least significant first: 13 bits of the value with the noise of the '
  'day, 3 bits of its bin (DayValueCode); 0 for no value';

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
COMMENT ON TABLE data4help.month_dirty IS
  'Months whose data changed after their days were closed: their days are counted again';
COMMENT ON COLUMN data4help.month_dirty.type IS 'Storage code of the data type (DataType)';
COMMENT ON COLUMN data4help.month_dirty.month IS 'Months since January 1970';
COMMENT ON COLUMN data4help.month_dirty.marks IS 'Number of changes since the last count';

-- A writer of day columns of a block holds the row of its slice.
CREATE TABLE data4help.closing_slices (
  slice       smallint CONSTRAINT closing_slices_pkey PRIMARY KEY,
  closed_day  integer,
  next_block  integer NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.closing_slices IS
  'How far days are closed, for each eighth of the blocks of day_columns';
COMMENT ON COLUMN data4help.closing_slices.slice IS 'Remainder of the block by 8';
COMMENT ON COLUMN data4help.closing_slices.closed_day IS
  'Last closed day, in days since 1970-01-01; NULL before the first run of a worker';
COMMENT ON COLUMN data4help.closing_slices.next_block IS
  'Block with which the next day continues';

INSERT INTO data4help.closing_slices (slice, next_block)
SELECT slice, slice FROM generate_series(0, 7) AS slice;

CREATE TABLE data4help.last_cells (
  account_id  bigint CONSTRAINT last_cells_pkey PRIMARY KEY,
  cell        bytea NOT NULL,
  seen_ts     bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE data4help.last_cells IS 'The area of the last known position of a person (R26)';
COMMENT ON COLUMN data4help.last_cells.cell IS
  'Keyed hash of the cell of about 5 km (PositionCell)';
COMMENT ON COLUMN data4help.last_cells.seen_ts IS 'Milliseconds since 1970-01-01T00:00:00Z';

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
COMMENT ON TABLE data4help.group_requests IS 'Requests of third parties for statistics of groups';
COMMENT ON COLUMN data4help.group_requests.types IS
  'Requested data types: bit n is the type with storage code n';
COMMENT ON COLUMN data4help.group_requests.search IS 'The search parameters as they were written';
COMMENT ON COLUMN data4help.group_requests.breakdown IS '0 none, 1 age band, 2 sex, 3 region';
COMMENT ON COLUMN data4help.group_requests.is_subscribing IS
  'Whether later windows are requested too, until ends_at';
COMMENT ON COLUMN data4help.group_requests.duration_seconds IS
  'Duration of the subscription; NULL without one';
COMMENT ON COLUMN data4help.group_requests.from_ts IS
  'Begin of the requested period, milliseconds since 1970-01-01T00:00:00Z; NULL without a bound';
COMMENT ON COLUMN data4help.group_requests.to_ts IS
  'End of the requested period, milliseconds since 1970-01-01T00:00:00Z; NULL without a bound';
COMMENT ON COLUMN data4help.group_requests.status IS '1 approved, 2 refused, 3 ended';
COMMENT ON COLUMN data4help.group_requests.reason IS
  '1 too few people, 2 no data, 3 ended by the third party, 4 period over; NULL while approved';
COMMENT ON COLUMN data4help.group_requests.ends_at IS 'Of a subscription; NULL without one';
COMMENT ON COLUMN data4help.group_requests.next_day IS
  'First day of the next window of a subscription, in days since 1970-01-01; NULL without one';
COMMENT ON COLUMN data4help.group_requests.looked_day IS
  'Last closed day that a worker considered for the subscription, in days since 1970-01-01';
COMMENT ON COLUMN data4help.group_requests.claimed_until IS
  'Until then one worker counts the next window; NULL while none does';
COMMENT ON COLUMN data4help.group_requests.price_cents IS
  'Price at the time of the request, in cents of a euro';
COMMENT ON COLUMN data4help.group_requests.paid_at IS 'NULL before the payment and without a price';

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
COMMENT ON TABLE data4help.released_statistics IS
  'Released statistics of a data type, a period and a group of people';
COMMENT ON COLUMN data4help.released_statistics.type IS 'Storage code of the data type (DataType)';
COMMENT ON COLUMN data4help.released_statistics.first_day IS 'Days since 1970-01-01';
COMMENT ON COLUMN data4help.released_statistics.last_day IS 'Days since 1970-01-01, inclusive';
COMMENT ON COLUMN data4help.released_statistics.breakdown IS
  '0 none, 1 age band, 2 sex, 3 region';
COMMENT ON COLUMN data4help.released_statistics.people IS 'Exact number of people, never shown';
COMMENT ON COLUMN data4help.released_statistics.members IS
  'The people: bit n % 8 of byte n / 8, from the lowest on, is accounts.member n';
COMMENT ON COLUMN data4help.released_statistics.shown_people IS
  'Number of people with noise, as it is shown';
COMMENT ON COLUMN data4help.released_statistics.document IS
  'Statistics of the type without parts, as JSON in UTF-8';
COMMENT ON COLUMN data4help.released_statistics.parts IS
  'Statistics of the parts, as JSON objects in UTF-8, separated by commas; empty without parts';
COMMENT ON COLUMN data4help.released_statistics.csv IS
  'Rows without a part, as CSV in UTF-8 with CRLF';
COMMENT ON COLUMN data4help.released_statistics.cohort IS
  'The first statistics of the same cohort; NULL for these themselves. No foreign key: a table '
  'that refers to itself cannot be restored from a dump of the data alone';
COMMENT ON COLUMN data4help.released_statistics.days IS
  'Days with a value in document, in days since 1970-01-01';
COMMENT ON COLUMN data4help.released_statistics.part_csv IS
  'Rows of the parts, as CSV in UTF-8 with CRLF: they follow those of csv';

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
COMMENT ON TABLE data4help.group_releases IS 'Answers to group requests: one for each window';
COMMENT ON COLUMN data4help.group_releases.number IS 'Number of the window, from 1';
COMMENT ON COLUMN data4help.group_releases.first_day IS 'Days since 1970-01-01';
COMMENT ON COLUMN data4help.group_releases.last_day IS 'Days since 1970-01-01, inclusive';
COMMENT ON COLUMN data4help.group_releases.statistics IS
  'Their statistic_id in released_statistics';

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
COMMENT ON TABLE data4help.released_days IS
  'Values of days that a cohort has received: they are repeated in later answers';
COMMENT ON COLUMN data4help.released_days.cohort IS
  'statistic_id of the first statistics of the cohort';
COMMENT ON COLUMN data4help.released_days.day IS 'Days since 1970-01-01';
COMMENT ON COLUMN data4help.released_days.people IS 'Number of people with noise, as it is shown';
COMMENT ON COLUMN data4help.released_days.mean IS 'In the unit of the data type';
COMMENT ON COLUMN data4help.released_days.counted IS
  'Exact number of people of a day for which noise was drawn; NULL for a day that repeats the '
  'number of the whole or of another day with about as many people';

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
COMMENT ON TABLE data4help.released_parts IS
  'Numbers of people of parts that a cohort has received: they are repeated in later answers';
COMMENT ON COLUMN data4help.released_parts.cohort IS
  'statistic_id of the first statistics of the cohort';
COMMENT ON COLUMN data4help.released_parts.breakdown IS '1 age band, 2 sex, 3 region';
COMMENT ON COLUMN data4help.released_parts.part IS 'The name of the part in the API';
COMMENT ON COLUMN data4help.released_parts.people IS
  'Number of people with noise, as it is shown';

CREATE TABLE data4help.age_band_statistics (
  type          smallint NOT NULL,
  last_day      integer NOT NULL,
  age_band      smallint NOT NULL,
  statistic_id  bigint,
  CONSTRAINT age_band_statistics_pkey PRIMARY KEY (type, last_day, age_band)
);
COMMENT ON TABLE data4help.age_band_statistics IS
  'Statistics that people compare their own values with (DAT-4): one answer for all people, so '
  'that a repeated request discloses nothing and costs nothing';
COMMENT ON COLUMN data4help.age_band_statistics.type IS 'Storage code of the data type (DataType)';
COMMENT ON COLUMN data4help.age_band_statistics.last_day IS
  'Last closed day, in days since 1970-01-01';
COMMENT ON COLUMN data4help.age_band_statistics.age_band IS 'Index of AgeBand in Domain';
COMMENT ON COLUMN data4help.age_band_statistics.statistic_id IS
  'Of released_statistics; NULL for too few people';

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.day_columns, data4help.month_dirty, data4help.last_cells,
     data4help.group_requests, data4help.released_statistics, data4help.group_releases
  TO data4help;
GRANT SELECT, UPDATE ON data4help.closing_slices TO data4help;
GRANT SELECT, INSERT
  ON data4help.released_days, data4help.released_parts, data4help.age_band_statistics
  TO data4help;
