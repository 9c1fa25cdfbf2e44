-- Accounts of both kinds, their profiles, consents and passwords (R1-R5, ACC-1 to ACC-13, RUN-7,
-- NTF-3, REQ-3). What names a person or a company is sealed with the key of the account, which is
-- in another database; blind indexes find it. Only the columns that group searches and batches of
-- mail need are in clear, under a pseudonymous number (R26).

CREATE TABLE data4help.accounts (
  account_id       bigint CONSTRAINT accounts_pkey PRIMARY KEY,
  kind             smallint NOT NULL CONSTRAINT accounts_kind_check CHECK (kind IN (1, 2)),
  state            smallint NOT NULL DEFAULT 1
                   CONSTRAINT accounts_state_check CHECK (state IN (1, 2, 3)),
  password_hash    text NOT NULL,
  registered_at    timestamptz NOT NULL,
  activated_at     timestamptz,
  sealed_email     bytea NOT NULL,
  sealed_identity  bytea NOT NULL,
  sealed_profile   bytea NOT NULL,
  birth_date       date,
  sex              text CONSTRAINT accounts_sex_check CHECK (sex IN ('F', 'M')),
  residence_place  text,
  birth_place      text,
  nationality      text,
  occupation       text,
  needs_parent     boolean NOT NULL DEFAULT false,
  needs_owner      boolean NOT NULL DEFAULT true,
  member           integer GENERATED ALWAYS AS IDENTITY,
  language         text CONSTRAINT accounts_language_check CHECK (language IN ('it', 'en')),
  time_zone        text CONSTRAINT accounts_time_zone_check CHECK (length(time_zone) <= 64),
  name_is_indexed  boolean NOT NULL DEFAULT false,
  full_name_blind  bytea,
  name_folding     smallint NOT NULL DEFAULT 0,
  CONSTRAINT accounts_searchable_check
    CHECK ((kind = 1) = (birth_date IS NOT NULL AND sex IS NOT NULL))
);
COMMENT ON TABLE data4help.accounts IS 'Accounts of single users and third parties';
COMMENT ON COLUMN data4help.accounts.account_id IS 'Pseudonymous: drawn at random by the service';
COMMENT ON COLUMN data4help.accounts.kind IS '1 single user, 2 third party';
COMMENT ON COLUMN data4help.accounts.state IS
  '1 registered, 2 active, 3 inactive: switched off by its user (ACC-9)';
COMMENT ON COLUMN data4help.accounts.password_hash IS 'Argon2id in the PHC string format';
COMMENT ON COLUMN data4help.accounts.activated_at IS 'NULL before the activation';
COMMENT ON COLUMN data4help.accounts.sealed_email IS
  'Sealed with the key of the account: the email address as text';
COMMENT ON COLUMN data4help.accounts.sealed_identity IS
  'Sealed with the key of the account: the fiscal code or the P.IVA as text';
COMMENT ON COLUMN data4help.accounts.sealed_profile IS
  'Sealed with the key of the account: the profile as JSON';
COMMENT ON COLUMN data4help.accounts.birth_date IS 'NULL for a third party';
COMMENT ON COLUMN data4help.accounts.sex IS 'F or M, as in the fiscal code; NULL for a third party';
COMMENT ON COLUMN data4help.accounts.residence_place IS
  'Cadastral code of the municipality; NULL without one. Province and region follow from it';
COMMENT ON COLUMN data4help.accounts.birth_place IS
  'Cadastral code of the municipality, or of the country for a birth abroad';
COMMENT ON COLUMN data4help.accounts.nationality IS 'ISO 3166-1 alpha-2';
COMMENT ON COLUMN data4help.accounts.occupation IS 'The word of the API';
COMMENT ON COLUMN data4help.accounts.needs_parent IS
  'Whether a parent has yet to confirm the account of a child under 14 years (ACC-13)';
COMMENT ON COLUMN data4help.accounts.needs_owner IS
  'Whether the link mailed to the account itself has yet to be followed';
COMMENT ON COLUMN data4help.accounts.member IS
  'A small number, so that a set of people is a bitmap; never assigned twice';
COMMENT ON COLUMN data4help.accounts.language IS
  'Language of mails; NULL for the language of the installation';
COMMENT ON COLUMN data4help.accounts.time_zone IS
  'Name in the IANA time zone database; NULL for the time zone of the installation';
COMMENT ON COLUMN data4help.accounts.name_is_indexed IS
  'Of a third party: whether company_name_prefixes has its name';
COMMENT ON COLUMN data4help.accounts.full_name_blind IS
  'Keyed hash of the full name of a person; NULL until the first search of a person who allows '
  'it, and after a change of the profile';
COMMENT ON COLUMN data4help.accounts.name_folding IS
  'Version of the rule by which the hashed name was folded (FoldedLetters), 0 before the first; '
  'names of earlier versions are hashed again';

CREATE INDEX accounts_registered_at_idx ON data4help.accounts (registered_at) WHERE state = 1;
-- What group searches read of people, without reading the wide rows.
CREATE UNIQUE INDEX accounts_member_key
  ON data4help.accounts (member)
  INCLUDE (account_id, state, activated_at, birth_date, sex, residence_place, birth_place,
           nationality, occupation)
  WHERE kind = 1;
CREATE INDEX accounts_name_to_index_idx
  ON data4help.accounts (account_id) WHERE kind = 2 AND state = 2 AND NOT name_is_indexed;
CREATE INDEX accounts_name_to_fold_idx
  ON data4help.accounts (account_id)
  WHERE kind = 2 AND state = 2 AND (NOT name_is_indexed OR name_folding < 1);

-- A registration that is not activated in time reserves nothing: the next registration replaces its
-- row (ACC-1). Registrations lock the email first and the company name last, so that no two wait
-- for each other.
CREATE TABLE data4help.held_identifiers (
  blind           bytea CONSTRAINT held_identifiers_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz
);
COMMENT ON TABLE data4help.held_identifiers IS
  'The account that holds an email, a fiscal code, a P.IVA or a company name';
COMMENT ON COLUMN data4help.held_identifiers.blind IS
  'Keyed hash of the identifier; each of the four kinds has its own key';
COMMENT ON COLUMN data4help.held_identifiers.reserved_until IS
  'End of the reservation of a registration; NULL once the account is activated';

-- By account, since the hash cannot be computed again once the key of the account is destroyed.
CREATE INDEX held_identifiers_account_id_idx ON data4help.held_identifiers (account_id);

-- A registration creates the key of the account, in another database, before the account. A row
-- without an account is the evidence by which that key is destroyed.
CREATE TABLE data4help.begun_registrations (
  account_id  bigint CONSTRAINT begun_registrations_pkey PRIMARY KEY,
  begun_at    timestamptz NOT NULL
);
COMMENT ON TABLE data4help.begun_registrations IS
  'Registrations with a key in the key database and possibly without an account';

CREATE INDEX begun_registrations_begun_at_idx ON data4help.begun_registrations (begun_at);

-- All links of an account expire at the same time, one day after its registration. They are kept
-- with the account, so that a second use can be distinguished from a wrong token.
CREATE TABLE data4help.activations (
  token_hash   bytea CONSTRAINT activations_pkey PRIMARY KEY,
  account_id   bigint NOT NULL
               CONSTRAINT activations_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  issued_at    timestamptz NOT NULL,
  valid_until  timestamptz NOT NULL,
  is_parents   boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE data4help.activations IS 'Mailed links that activate an account';
COMMENT ON COLUMN data4help.activations.token_hash IS 'SHA-256 of the random part of the token';
COMMENT ON COLUMN data4help.activations.is_parents IS
  'Whether the link was mailed to a parent (ACC-13)';

CREATE INDEX activations_account_id_idx ON data4help.activations (account_id);

-- Also for emails without an account, so that the delay does not disclose whether one exists
-- (ACC-7).
CREATE TABLE data4help.login_failures (
  email_blind      bytea CONSTRAINT login_failures_pkey PRIMARY KEY,
  wrong_passwords  integer NOT NULL,
  login_after      timestamptz,
  last_at          timestamptz NOT NULL
);
COMMENT ON TABLE data4help.login_failures IS 'Consecutive wrong passwords by the email entered';
COMMENT ON COLUMN data4help.login_failures.email_blind IS 'Keyed hash of the email address';
COMMENT ON COLUMN data4help.login_failures.wrong_passwords IS 'Since the last login';
COMMENT ON COLUMN data4help.login_failures.login_after IS
  'No password is checked before this time; NULL without a delay';
COMMENT ON COLUMN data4help.login_failures.last_at IS 'Time of the last wrong password';

CREATE INDEX login_failures_last_at_idx ON data4help.login_failures (last_at);

CREATE TABLE data4help.password_resets (
  account_id   bigint CONSTRAINT password_resets_pkey PRIMARY KEY
               CONSTRAINT password_resets_account_id_fkey
               REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  token_hash   bytea NOT NULL CONSTRAINT password_resets_token_hash_key UNIQUE,
  email_blind  bytea NOT NULL,
  issued_at    timestamptz NOT NULL,
  valid_until  timestamptz NOT NULL
);
COMMENT ON TABLE data4help.password_resets IS
  'Links that reset a password (ACC-6): the newest of an account, valid once and for one hour';
COMMENT ON COLUMN data4help.password_resets.token_hash IS
  'SHA-256 of the random part of the token';
COMMENT ON COLUMN data4help.password_resets.email_blind IS
  'Keyed hash of the address that the link was mailed to';

CREATE INDEX password_resets_valid_until_idx ON data4help.password_resets (valid_until);

CREATE TABLE data4help.account_diseases (
  account_id  bigint NOT NULL
              CONSTRAINT account_diseases_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  disease     bytea NOT NULL,
  CONSTRAINT account_diseases_pkey PRIMARY KEY (account_id, disease)
);
COMMENT ON TABLE data4help.account_diseases IS 'Chronic diseases, for group searches (R26)';
COMMENT ON COLUMN data4help.account_diseases.disease IS
  'Keyed hash of the code: discloses which people share a disease, but not which disease';

CREATE INDEX account_diseases_disease_idx ON data4help.account_diseases (disease, account_id);

-- A registration agrees to the newest version of each document (ACC-2). Rows of both tables are
-- only added.
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
COMMENT ON TABLE data4help.documents IS 'Documents that the operator has published';

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
COMMENT ON TABLE data4help.consents IS 'The ledger of consents to published documents';

-- Names of companies are not stored in clear (NFR-5): the hash discloses which companies share a
-- prefix, but not the prefix. A worker fills the table.
CREATE TABLE data4help.company_name_prefixes (
  prefix      bytea NOT NULL,
  letters     smallint NOT NULL,
  account_id  bigint NOT NULL
              CONSTRAINT company_name_prefixes_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  CONSTRAINT company_name_prefixes_pkey PRIMARY KEY (prefix, account_id)
);
COMMENT ON TABLE data4help.company_name_prefixes IS
  'Prefixes of the words of company names, for searches of companies (REQ-3)';
COMMENT ON COLUMN data4help.company_name_prefixes.prefix IS 'Keyed hash of the prefix';
COMMENT ON COLUMN data4help.company_name_prefixes.letters IS
  'Length of the name from this word on: shorter names are listed first';

CREATE INDEX company_name_prefixes_account_id_idx
  ON data4help.company_name_prefixes (account_id);

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.accounts, data4help.held_identifiers, data4help.begun_registrations,
     data4help.activations, data4help.login_failures, data4help.password_resets
  TO data4help;
GRANT SELECT, INSERT, DELETE
  ON data4help.account_diseases, data4help.company_name_prefixes TO data4help;
GRANT SELECT, INSERT ON data4help.documents, data4help.consents TO data4help;
