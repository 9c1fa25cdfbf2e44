-- Lookups for people who type (ACC-3, REQ-3): countries by their names in two languages,
-- municipalities by the beginning of their name, companies by the beginning of a word of theirs.

CREATE TABLE reference.country_names (
  iso_code  text CONSTRAINT country_names_pkey PRIMARY KEY,        -- ISO 3166-1 alpha-2
  name_it   text NOT NULL,
  name_en   text NOT NULL
);

INSERT INTO reference.country_names (iso_code, name_it, name_en)
SELECT split_part(line, ';', 1), split_part(line, ';', 2), split_part(line, ';', 3)
  FROM regexp_split_to_table(:'reference/country_names_2026-11-22.csv', '\n') WITH ORDINALITY
       AS file (line, number)
 WHERE number > 1 AND line <> '';

GRANT SELECT ON reference.country_names TO data4help;

-- Of today's municipalities alone; by bytes, so that a beginning is a range of the index.
CREATE INDEX municipalities_search_name_prefix_idx
  ON reference.municipalities (search_name text_pattern_ops) WHERE valid_to IS NULL;
CREATE INDEX municipalities_other_search_name_prefix_idx
  ON reference.municipalities (other_search_name text_pattern_ops)
  WHERE valid_to IS NULL AND other_search_name IS NOT NULL;

-- Beginnings of the words of a company's name under a keyed hash: names stand nowhere in clear
-- (NFR-5). Which companies share a beginning shows, not which beginning it is.
CREATE TABLE data4help.company_name_prefixes (
  prefix      bytea NOT NULL,
  letters     smallint NOT NULL,                 -- of the name from the word on: short ones first
  account_id  bigint NOT NULL
              CONSTRAINT company_name_prefixes_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  CONSTRAINT company_name_prefixes_pkey PRIMARY KEY (prefix, account_id)
);

CREATE INDEX company_name_prefixes_account_id_idx
  ON data4help.company_name_prefixes (account_id);

GRANT SELECT, INSERT, DELETE ON data4help.company_name_prefixes TO data4help;

-- Filled by a worker: for the companies that are there already as well.
ALTER TABLE data4help.accounts ADD COLUMN name_is_indexed boolean NOT NULL DEFAULT false;

CREATE INDEX accounts_name_to_index_idx
  ON data4help.accounts (account_id) WHERE kind = 2 AND state = 2 AND NOT name_is_indexed;
