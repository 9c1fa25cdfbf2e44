-- What people compare their own values with (DAT-4): one answer a type, age band and last closed
-- day, for everybody who asks, so that asking again tells nothing and costs nothing.

CREATE TABLE data4help.age_band_statistics (
  type          smallint NOT NULL,
  last_day      integer NOT NULL,                -- days since 1970-01-01
  age_band      smallint NOT NULL,               -- the index of Domain's AgeBand
  statistic_id  bigint,                          -- null: too few people
  CONSTRAINT age_band_statistics_pkey PRIMARY KEY (type, last_day, age_band)
);

GRANT SELECT, INSERT ON data4help.age_band_statistics TO data4help;
