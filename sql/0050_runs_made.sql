-- How many runs an organiser has made on the day, in Italy, on which it made the last one (R37):
-- each is a row that stays, and a mail to the organiser.

CREATE TABLE track4run.runs_made (
  organiser_id  bigint CONSTRAINT runs_made_pkey PRIMARY KEY,
  day           integer NOT NULL,                       -- days since 1970
  count         integer NOT NULL CONSTRAINT runs_made_count_check CHECK (count > 0)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.runs_made TO track4run;
