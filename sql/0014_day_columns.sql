-- One quantised value a person, type and day, in columns of many people: what groups are counted
-- from (R25-R32). They stand in clear under a number that says nothing about the person
-- (docs/threat-model.md); the samples themselves stay sealed. A worker writes them when a day is
-- over, and again where data changed later.

-- People by small numbers, so that a set of them is a bitmap. Given at registration, never again.
ALTER TABLE data4help.accounts ADD COLUMN member integer GENERATED ALWAYS AS IDENTITY;

-- What group searches read of people: all of it without a look at the wide rows.
CREATE UNIQUE INDEX accounts_member_key
  ON data4help.accounts (member)
  INCLUDE (account_id, state, activated_at, birth_date, sex, residence_place, birth_place,
           nationality, occupation)
  WHERE kind = 1;

-- A day of 992 people with neighbouring numbers: four rows fill a page, and none needs TOAST.
-- No table of a person's own: nothing in it can be read without the number, and it is not split by
-- account (docs/decisions/0043).
CREATE TABLE data4help.day_columns (
  type        smallint NOT NULL,
  day         integer NOT NULL,                  -- days since 1970-01-01
  block       integer NOT NULL,                  -- member / 992
  vals        bytea NOT NULL                     -- a code of two bytes a person, 0 for no value
              CONSTRAINT day_columns_vals_check CHECK (octet_length(vals) = 1984),
  CONSTRAINT day_columns_pkey PRIMARY KEY (type, day, block)
) PARTITION BY LIST (type);

-- By type, so that the days of one type lie together. Numbers of Domain's DataType.
DO $$
BEGIN
  FOR number IN 1..23 LOOP
    EXECUTE format(
      'CREATE TABLE data4help.day_columns_%s PARTITION OF data4help.day_columns
         FOR VALUES IN (%s)', number, number);
  END LOOP;
END
$$;

-- A person's deletion finds all days of the block.
CREATE INDEX day_columns_block_idx ON data4help.day_columns (block);

-- Months of an account whose data changed after their days were closed. Marked in the transaction
-- of the change; the update of `marks` locks the row, so that nobody counts before the commit.
CREATE TABLE data4help.month_dirty (
  account_id  bigint NOT NULL,
  type        smallint NOT NULL,
  month       integer NOT NULL,
  marks       bigint NOT NULL,
  CONSTRAINT month_dirty_pkey PRIMARY KEY (account_id, type, month)
) WITH (fillfactor = 50);

-- How far days are closed, for each eighth of the blocks (block % 8). Whoever writes day columns of
-- a block holds the row of its part.
CREATE TABLE data4help.closing_slices (
  slice          smallint CONSTRAINT closing_slices_pkey PRIMARY KEY,
  closed_day     integer,                        -- null until the first worker ran
  next_block     integer NOT NULL                -- how far the next day is
) WITH (fillfactor = 50);

INSERT INTO data4help.closing_slices (slice, next_block)
SELECT slice, slice FROM generate_series(0, 7) AS slice;

-- The cell of about 5 km of the last known position, as a keyed hash (R26).
CREATE TABLE data4help.last_cells (
  account_id  bigint CONSTRAINT last_cells_pkey PRIMARY KEY,
  cell        bytea NOT NULL,
  seen_ts     bigint NOT NULL                    -- milliseconds since 1970-01-01T00:00:00Z
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.day_columns, data4help.month_dirty, data4help.last_cells TO data4help;
GRANT SELECT, UPDATE ON data4help.closing_slices TO data4help;
