-- Places as the fiscal code names them (R2) and as people live in them (ACC-3): reference data from
-- files with a date, which any service may read. Searches find countries by their names in two
-- languages and municipalities by a prefix of the name.

CREATE TABLE reference.regions (
  region_code  smallint CONSTRAINT regions_pkey PRIMARY KEY,
  name         text NOT NULL
);
COMMENT ON TABLE reference.regions IS 'Regions of Italy';
COMMENT ON COLUMN reference.regions.region_code IS 'ISTAT code of the region';

INSERT INTO reference.regions (region_code, name)
SELECT split_part(line, ';', 1)::smallint, split_part(line, ';', 2)
  FROM regexp_split_to_table(:'reference/regions_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

CREATE TABLE reference.provinces (
  province     text CONSTRAINT provinces_pkey PRIMARY KEY,
  name         text NOT NULL,
  region_code  smallint CONSTRAINT provinces_region_code_fkey
               REFERENCES reference.regions (region_code)
);
COMMENT ON TABLE reference.provinces IS 'Provinces of Italy, former ones included';
COMMENT ON COLUMN reference.provinces.province IS 'Abbreviation of two letters, such as MI';
COMMENT ON COLUMN reference.provinces.region_code IS
  'ISTAT code of the region; NULL for former provinces outside present Italy';

INSERT INTO reference.provinces (province, name, region_code)
SELECT split_part(line, ';', 1), split_part(line, ';', 2),
       nullif(split_part(line, ';', 3), '')::smallint
  FROM regexp_split_to_table(:'reference/provinces_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

CREATE TABLE reference.municipalities (
  cadastral_code     text NOT NULL,
  valid_from         date NOT NULL,
  valid_to           date,
  istat_code         text,
  name               text NOT NULL,
  other_name         text,
  search_name        text NOT NULL,
  other_search_name  text,
  province           text NOT NULL CONSTRAINT municipalities_province_fkey
                     REFERENCES reference.provinces (province),
  latitude           float8,
  longitude          float8,
  CONSTRAINT municipalities_pkey PRIMARY KEY (cadastral_code, valid_from)
);
COMMENT ON TABLE reference.municipalities IS
  'Municipalities of Italy since 1861: one row for each name or province that one had in its time';
COMMENT ON COLUMN reference.municipalities.cadastral_code IS
  'Code of the place in fiscal codes, such as H501; the same place for all time';
COMMENT ON COLUMN reference.municipalities.valid_from IS 'First day of this name and province';
COMMENT ON COLUMN reference.municipalities.valid_to IS
  'Last day of this name and province; NULL for a municipality that exists';
COMMENT ON COLUMN reference.municipalities.istat_code IS
  'Six digits, such as 058091; NULL for a former municipality';
COMMENT ON COLUMN reference.municipalities.other_name IS
  'Name in the second language of the place; NULL for one language';
COMMENT ON COLUMN reference.municipalities.search_name IS
  'The name in lower case: letters without accents, and digits';
COMMENT ON COLUMN reference.municipalities.other_search_name IS
  'other_name in the form of search_name';
COMMENT ON COLUMN reference.municipalities.latitude IS
  'A point inside, degrees of WGS 84; NULL for a former municipality';
COMMENT ON COLUMN reference.municipalities.longitude IS
  'A point inside, degrees of WGS 84; NULL for a former municipality';

-- The rule of the search names is that of PlaceName in Sources/Domain.
INSERT INTO reference.municipalities
       (cadastral_code, valid_from, valid_to, istat_code, name, other_name, search_name,
        other_search_name, province, latitude, longitude)
SELECT field[1], field[2]::date, nullif(field[3], '')::date, nullif(field[4], ''), field[5],
       nullif(field[6], ''),
       regexp_replace(lower(replace(translate(field[5],
         'ÈàâäçèéêìòôöùüčŠž', 'EaaaceeeiooouucSz'), 'ß', 'ss')), '[^a-z0-9]', '', 'g'),
       nullif(regexp_replace(lower(replace(translate(field[6],
         'ÈàâäçèéêìòôöùüčŠž', 'EaaaceeeiooouucSz'), 'ß', 'ss')), '[^a-z0-9]', '', 'g'), ''),
       field[7], nullif(field[8], '')::float8, nullif(field[9], '')::float8
  FROM regexp_split_to_table(:'reference/municipalities_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number),
       LATERAL string_to_array(line, ';') AS field
 WHERE number > 1 AND line <> '';

CREATE INDEX municipalities_search_name_idx ON reference.municipalities (search_name);
CREATE INDEX municipalities_other_search_name_idx
  ON reference.municipalities (other_search_name) WHERE other_search_name IS NOT NULL;
CREATE INDEX municipalities_istat_code_idx
  ON reference.municipalities (istat_code) WHERE istat_code IS NOT NULL;

-- Present municipalities only; ordered by bytes, so that a prefix is a range of the index.
CREATE INDEX municipalities_search_name_prefix_idx
  ON reference.municipalities (search_name text_pattern_ops) WHERE valid_to IS NULL;
CREATE INDEX municipalities_other_search_name_prefix_idx
  ON reference.municipalities (other_search_name text_pattern_ops)
  WHERE valid_to IS NULL AND other_search_name IS NOT NULL;

CREATE TABLE reference.countries (
  cadastral_code  text CONSTRAINT countries_pkey PRIMARY KEY,
  gone_from       date,
  iso_code        text,
  name            text NOT NULL,
  search_name     text NOT NULL
);
COMMENT ON TABLE reference.countries IS 'Countries as fiscal codes name them, former ones included';
COMMENT ON COLUMN reference.countries.cadastral_code IS
  'Code of the country in fiscal codes: Z and three digits, such as Z129';
COMMENT ON COLUMN reference.countries.gone_from IS
  'First day without the country; NULL for a country that exists';
COMMENT ON COLUMN reference.countries.iso_code IS
  'ISO 3166-1 alpha-2, such as RO; NULL for a country without one';
COMMENT ON COLUMN reference.countries.name IS 'In Italian';
COMMENT ON COLUMN reference.countries.search_name IS
  'The name in lower case: letters without accents, and digits';

INSERT INTO reference.countries (cadastral_code, gone_from, iso_code, name, search_name)
SELECT field[1], nullif(field[2], '')::date, nullif(field[3], ''), field[4],
       regexp_replace(lower(translate(field[4],
         'ÈàâäçèéêìòôöùüčŠž', 'EaaaceeeiooouucSz')), '[^a-z0-9]', '', 'g')
  FROM regexp_split_to_table(:'reference/countries_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number),
       LATERAL string_to_array(line, ';') AS field
 WHERE number > 1 AND line <> '';

CREATE TABLE reference.country_names (
  iso_code  text CONSTRAINT country_names_pkey PRIMARY KEY,
  name_it   text NOT NULL,
  name_en   text NOT NULL
);
COMMENT ON TABLE reference.country_names IS 'Present countries by their names in two languages';
COMMENT ON COLUMN reference.country_names.iso_code IS 'ISO 3166-1 alpha-2';

INSERT INTO reference.country_names (iso_code, name_it, name_en)
SELECT split_part(line, ';', 1), split_part(line, ';', 2), split_part(line, ';', 3)
  FROM regexp_split_to_table(:'reference/country_names_2026-11-22.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

GRANT SELECT
  ON reference.regions, reference.provinces, reference.municipalities, reference.countries
  TO data4help, track4run;
GRANT SELECT ON reference.country_names TO data4help;
