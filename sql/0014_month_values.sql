-- One quantised value a person, type and day, by month: what groups are counted from (R25-R32).
-- They stand in clear under a number that says nothing about the person (docs/threat-model.md); the
-- samples themselves stay sealed. A worker writes them when a day is over, and again for months of
-- which data changed later.

-- People by small numbers, so that a set of them is a bitmap. Given at registration, never again.
ALTER TABLE data4help.accounts ADD COLUMN member integer GENERATED ALWAYS AS IDENTITY;

-- What group searches read of people: all of it without a look at the wide rows.
CREATE UNIQUE INDEX accounts_member_key
  ON data4help.accounts (member)
  INCLUDE (account_id, activated_at, birth_date, sex, residence_place, birth_place, nationality,
           occupation)
  WHERE kind = 1 AND state = 2;

CREATE TABLE data4help.month_values (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  month       integer NOT NULL,                  -- months since January 1970
  member      integer NOT NULL,                  -- the account's, so that counting needs no join
  vals        bytea NOT NULL                     -- 31 codes of two bytes, 0 for a day without value
              CONSTRAINT month_values_vals_check CHECK (octet_length(vals) = 62),
  CONSTRAINT month_values_pkey PRIMARY KEY (account_id, type, month)
) PARTITION BY RANGE (type, month);

-- Makes the partitions of types and months that have none yet. The service may not make tables, so
-- this function does it with its owner's rights; it takes numbers and nothing else.
CREATE FUNCTION data4help.make_month_partitions(types smallint[], months integer[]) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  made integer := 0;
  wanted record;
  name text;
BEGIN
  -- Usually nothing is missing, and nothing is locked.
  IF NOT EXISTS (
    SELECT FROM unnest(types, months) AS asked (type, month)
     WHERE to_regclass(format('data4help.month_values_%s_%s', type, month)) IS NULL)
  THEN
    RETURN 0;
  END IF;
  PERFORM pg_advisory_xact_lock(7401650320140001);
  FOR wanted IN SELECT DISTINCT type, month FROM unnest(types, months) AS asked (type, month) LOOP
    name := format('month_values_%s_%s', wanted.type, wanted.month);
    IF to_regclass('data4help.' || name) IS NULL THEN
      EXECUTE format(
        'CREATE TABLE data4help.%I (LIKE data4help.month_values INCLUDING ALL)
           WITH (fillfactor = 80)', name);
      EXECUTE format(
        'ALTER TABLE data4help.month_values ATTACH PARTITION data4help.%I
           FOR VALUES FROM (%s, %s) TO (%s, %s)',
        name, wanted.type, wanted.month, wanted.type, wanted.month + 1);
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END
$$;

-- Months of an account whose data changed after their days were closed. Marked in the transaction
-- of the change; the update of `marks` locks the row, so that nobody counts before the commit.
CREATE TABLE data4help.month_dirty (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  month       integer NOT NULL,
  marks       bigint NOT NULL,
  CONSTRAINT month_dirty_pkey PRIMARY KEY (account_id, type, month)
) WITH (fillfactor = 50);

-- How far days are closed, for each part of the accounts. Whoever writes month values of an account
-- holds the row of its part.
CREATE TABLE data4help.closing_slices (
  slice          smallint CONSTRAINT closing_slices_pkey PRIMARY KEY,
  first_account  bigint NOT NULL,
  last_account   bigint NOT NULL,
  closed_day     integer,                        -- null until the first worker ran
  after_account  bigint NOT NULL                 -- how far the next day is
) WITH (fillfactor = 50);

INSERT INTO data4help.closing_slices (slice, first_account, last_account, after_account)
SELECT slice, slice * (1::bigint << 59),
       CASE WHEN slice < 7 THEN (slice + 1) * (1::bigint << 59) - 1 ELSE 9223372036854775807 END,
       slice * (1::bigint << 59) - 1
  FROM generate_series(0, 7) AS slice;

-- The cell of about 5 km of the last known position, as a keyed hash (R26).
CREATE TABLE data4help.last_cells (
  account_id  bigint CONSTRAINT last_cells_pkey PRIMARY KEY,
  cell        bytea NOT NULL,
  seen_ts     bigint NOT NULL                    -- milliseconds since 1970-01-01T00:00:00Z
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.month_values, data4help.month_dirty, data4help.last_cells TO data4help;
GRANT SELECT, UPDATE ON data4help.closing_slices TO data4help;
GRANT EXECUTE ON FUNCTION data4help.make_month_partitions(smallint[], integer[]) TO data4help;
