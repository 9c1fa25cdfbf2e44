-- Group answers of different periods and breakdowns are compared (GRP-1, R30): those whose people
-- are nearly the same form a cohort, which is told one number of people, one of each part, and one
-- figure of each day, whatever the periods that are asked for.

ALTER TABLE data4help.released_statistics
  -- Statistics of the same cohort; NULL of its first. No foreign key: a table that refers to itself
  -- can't be restored from a dump of the data alone.
  ADD COLUMN cohort    bigint,
  ADD COLUMN days      integer[],                -- the days that the document tells of
  ADD COLUMN part_csv  bytea;                    -- the rows of the parts, behind those of csv

-- What everybody was told before is told again.
CREATE TABLE data4help.released_days (
  cohort   bigint NOT NULL
           CONSTRAINT released_days_cohort_fkey
           REFERENCES data4help.released_statistics (statistic_id),
  day      integer NOT NULL,                     -- days since 1970-01-01
  people   integer NOT NULL,
  mean     double precision NOT NULL,
  CONSTRAINT released_days_pkey PRIMARY KEY (cohort, day)
);

CREATE TABLE data4help.released_parts (
  cohort     bigint NOT NULL
             CONSTRAINT released_parts_cohort_fkey
             REFERENCES data4help.released_statistics (statistic_id),
  breakdown  smallint NOT NULL,
  part       text NOT NULL,
  people     integer NOT NULL,
  CONSTRAINT released_parts_pkey PRIMARY KEY (cohort, breakdown, part)
);

INSERT INTO data4help.released_days (cohort, day, people, mean)
SELECT statistic_id, (told->>'date')::date - '1970-01-01'::date, (told->>'people')::integer,
       (told->>'mean')::double precision
  FROM data4help.released_statistics,
       jsonb_array_elements(convert_from(document, 'UTF8')::jsonb->'days') AS told;

INSERT INTO data4help.released_parts (cohort, breakdown, part, people)
SELECT statistic_id, breakdown, told->>'group', (told->>'people')::integer
  FROM data4help.released_statistics,
       jsonb_array_elements(('[' || convert_from(parts, 'UTF8') || ']')::jsonb) AS told;

UPDATE data4help.released_statistics
   SET days = ARRAY(
         SELECT day FROM data4help.released_days WHERE cohort = statistic_id ORDER BY day),
       part_csv = '';

UPDATE data4help.released_statistics AS released
   SET csv = convert_to(coalesce(whole, ''), 'UTF8'),
       part_csv = convert_to(coalesce(of_parts, ''), 'UTF8')
  FROM (SELECT statistic_id AS id,
               string_agg(line || E'\r\n', '' ORDER BY place)
                 FILTER (WHERE split_part(line, ',', 3) = '') AS whole,
               string_agg(line || E'\r\n', '' ORDER BY place)
                 FILTER (WHERE split_part(line, ',', 3) <> '') AS of_parts
          FROM data4help.released_statistics,
               regexp_split_to_table(convert_from(csv, 'UTF8'), E'\r\n')
                 WITH ORDINALITY AS row (line, place)
         WHERE line <> ''
         GROUP BY statistic_id) AS split
 WHERE statistic_id = id;

ALTER TABLE data4help.released_statistics
  ALTER COLUMN days SET NOT NULL,
  ALTER COLUMN part_csv SET NOT NULL;

CREATE INDEX released_statistics_cohorts_idx
  ON data4help.released_statistics (type, people) WHERE cohort IS NULL;
CREATE INDEX released_statistics_cohort_idx
  ON data4help.released_statistics ((coalesce(cohort, statistic_id)));

GRANT SELECT, INSERT ON data4help.released_days, data4help.released_parts TO data4help;
