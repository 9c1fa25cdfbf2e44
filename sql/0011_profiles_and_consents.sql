-- Profiles, consents and recovered passwords (ACC-2 to ACC-6, ACC-13).

-- Places as the fiscal code names them (R2) and as people live in them (ACC-3): reference data of
-- files with a date, which any service may read. A municipality has a row for each name or province
-- it had in its time; a cadastral code is one place for good.
CREATE SCHEMA reference AUTHORIZATION trackme_owner;
GRANT USAGE ON SCHEMA reference TO data4help, track4run;

CREATE TABLE reference.regions (
  region_code  smallint CONSTRAINT regions_pkey PRIMARY KEY,
  name         text NOT NULL
);

INSERT INTO reference.regions (region_code, name)
SELECT split_part(line, ';', 1)::smallint, split_part(line, ';', 2)
  FROM regexp_split_to_table(:'reference/regions_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

CREATE TABLE reference.provinces (
  province     text CONSTRAINT provinces_pkey PRIMARY KEY,        -- MI
  name         text NOT NULL,
  region_code  smallint CONSTRAINT provinces_region_code_fkey
               REFERENCES reference.regions (region_code)         -- none where Italy is no more
);

INSERT INTO reference.provinces (province, name, region_code)
SELECT split_part(line, ';', 1), split_part(line, ';', 2),
       nullif(split_part(line, ';', 3), '')::smallint
  FROM regexp_split_to_table(:'reference/provinces_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

CREATE TABLE reference.municipalities (
  cadastral_code     text NOT NULL,                                -- H501
  valid_from         date NOT NULL,
  valid_to           date,                                         -- the last day; none: it exists
  istat_code         text,                                         -- 058091
  name               text NOT NULL,
  other_name         text,                                         -- in the other language
  search_name        text NOT NULL,                                -- letters and digits, unaccented
  other_search_name  text,
  province           text NOT NULL CONSTRAINT municipalities_province_fkey
                     REFERENCES reference.provinces (province),
  latitude           float8,                                       -- a point inside
  longitude          float8,
  CONSTRAINT municipalities_pkey PRIMARY KEY (cadastral_code, valid_from)
);

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

CREATE TABLE reference.countries (
  cadastral_code  text CONSTRAINT countries_pkey PRIMARY KEY,      -- Z129
  gone_from       date,
  iso_code        text,                                            -- RO
  name            text NOT NULL,
  search_name     text NOT NULL
);

INSERT INTO reference.countries (cadastral_code, gone_from, iso_code, name, search_name)
SELECT field[1], nullif(field[2], '')::date, nullif(field[3], ''), field[4],
       regexp_replace(lower(translate(field[4],
         'ÈàâäçèéêìòôöùüčŠž', 'EaaaceeeiooouucSz')), '[^a-z0-9]', '', 'g')
  FROM regexp_split_to_table(:'reference/countries_2026-02-21.csv', '\n') WITH ORDINALITY
       AS file (line, number),
       LATERAL string_to_array(line, ';') AS field
 WHERE number > 1 AND line <> '';

GRANT SELECT
  ON reference.regions, reference.provinces, reference.municipalities, reference.countries
  TO data4help, track4run;

-- What searches for groups need of a profile (R26), in clear under the pseudonymous number: places
-- by their cadastral code (province, region and country follow from the reference data; a birth
-- place abroad is the country's code, Z and three digits).
ALTER TABLE data4help.accounts
  ADD COLUMN residence_place text,
  ADD COLUMN birth_place text,
  ADD COLUMN nationality text,                     -- ISO 3166-1 alpha-2
  ADD COLUMN occupation text;                      -- as the API writes it

-- Chronic diseases under a keyed hash: who reads the table learns who shares one, not which.
CREATE TABLE data4help.account_diseases (
  account_id  bigint NOT NULL
              CONSTRAINT account_diseases_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  disease     bytea NOT NULL,
  CONSTRAINT account_diseases_pkey PRIMARY KEY (account_id, disease)
);

CREATE INDEX account_diseases_disease_idx ON data4help.account_diseases (disease, account_id);

GRANT SELECT, INSERT, DELETE ON data4help.account_diseases TO data4help;

-- Documents that the operator has published (ACC-2): a registration agrees to the newest version of
-- each, and the ledger keeps which and when. Nothing is changed or removed in either.
CREATE TABLE data4help.documents (
  document      text NOT NULL
                CONSTRAINT documents_document_check
                CHECK (document IN ('privacy', 'terms', 'liability', 'jurisdiction')),
  version       text NOT NULL,
  title         text NOT NULL,
  body          text NOT NULL,
  published_at  timestamptz NOT NULL,
  CONSTRAINT documents_pkey PRIMARY KEY (document, version)
);

CREATE TABLE data4help.consents (
  account_id  bigint NOT NULL
              CONSTRAINT consents_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  document    text NOT NULL,
  version     text NOT NULL,
  given_at    timestamptz NOT NULL,
  CONSTRAINT consents_pkey PRIMARY KEY (account_id, document, version),
  CONSTRAINT consents_document_version_fkey FOREIGN KEY (document, version)
    REFERENCES data4help.documents (document, version)
);

GRANT SELECT, INSERT ON data4help.documents, data4help.consents TO data4help;

-- Links that reset a password (ACC-6): the newest of an account counts, once and for an hour.
CREATE TABLE data4help.password_resets (
  account_id   bigint CONSTRAINT password_resets_pkey PRIMARY KEY
               CONSTRAINT password_resets_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  token_hash   bytea NOT NULL CONSTRAINT password_resets_token_hash_key UNIQUE,
  email_blind  bytea NOT NULL,
  issued_at    timestamptz NOT NULL,
  valid_until  timestamptz NOT NULL
);

CREATE INDEX password_resets_valid_until_idx ON data4help.password_resets (valid_until);

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.password_resets TO data4help;

-- Under 14 years a parent confirms too (ACC-13): the account works once both links were followed.
ALTER TABLE data4help.activations
  ADD COLUMN is_parents boolean NOT NULL DEFAULT false;
ALTER TABLE data4help.accounts
  ADD COLUMN needs_parent boolean NOT NULL DEFAULT false,  -- until a parent has confirmed
  ADD COLUMN needs_owner boolean NOT NULL DEFAULT true;    -- until the account's own mail was
