-- Accounts of both kinds (R1-R5, ACC-1, ACC-9, ACC-12). What names a person or a company is sealed
-- with the account's own key, which lives in another database; blind indexes find it. In clear
-- stand only the columns that a group search needs, under a pseudonymous number.

CREATE TABLE data4help.accounts (
  account_id       bigint CONSTRAINT accounts_pkey PRIMARY KEY, -- drawn at random by the service
  kind             smallint NOT NULL               -- 1 single user, 2 third party
                   CONSTRAINT accounts_kind_check CHECK (kind IN (1, 2)),
  state            smallint NOT NULL DEFAULT 1     -- 1 registered, 2 active, 3 switched inactive
                   CONSTRAINT accounts_state_check CHECK (state IN (1, 2, 3)),
  password_hash    text NOT NULL,
  registered_at    timestamptz NOT NULL,
  activated_at     timestamptz,
  sealed_email     bytea NOT NULL,
  sealed_identity  bytea NOT NULL,               -- the fiscal code or the P.IVA
  sealed_profile   bytea NOT NULL,
  birth_date       date,
  sex              text CONSTRAINT accounts_sex_check CHECK (sex IN ('F', 'M')),
  CONSTRAINT accounts_searchable_check
    CHECK ((kind = 1) = (birth_date IS NOT NULL AND sex IS NOT NULL))
);

-- Who holds an email, a fiscal code, a P.IVA or a company name. A registration that is not
-- activated in time reserves nothing: its row gives way to the next one (ACC-1). Registrations take
-- these rows in the order of the tables here, so that none waits for another in a circle.
CREATE TABLE data4help.email_index (
  blind           bytea CONSTRAINT email_index_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz                    -- null once the account was activated
);

CREATE TABLE data4help.fiscal_code_index (
  blind           bytea CONSTRAINT fiscal_code_index_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz
);

CREATE TABLE data4help.vat_number_index (
  blind           bytea CONSTRAINT vat_number_index_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz
);

CREATE TABLE data4help.company_name_index (
  blind           bytea CONSTRAINT company_name_index_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz
);

CREATE INDEX email_index_account_id_idx
  ON data4help.email_index (account_id) WHERE reserved_until IS NOT NULL;
CREATE INDEX fiscal_code_index_account_id_idx
  ON data4help.fiscal_code_index (account_id) WHERE reserved_until IS NOT NULL;
CREATE INDEX vat_number_index_account_id_idx
  ON data4help.vat_number_index (account_id) WHERE reserved_until IS NOT NULL;
CREATE INDEX company_name_index_account_id_idx
  ON data4help.company_name_index (account_id) WHERE reserved_until IS NOT NULL;

-- A registration makes the account's key, which lives in another database, before the account. What
-- was begun and never became an account stands here, so that its key is destroyed on evidence.
CREATE TABLE data4help.begun_registrations (
  account_id  bigint CONSTRAINT begun_registrations_pkey PRIMARY KEY,
  begun_at    timestamptz NOT NULL
);

CREATE INDEX begun_registrations_begun_at_idx ON data4help.begun_registrations (begun_at);

-- Links that were mailed; all of an account are good until the same moment, a day after it was
-- registered. Kept with the account, so that a second use is told from a wrong token.
CREATE TABLE data4help.activations (
  token_hash  bytea CONSTRAINT activations_pkey PRIMARY KEY,
  account_id  bigint NOT NULL
              CONSTRAINT activations_account_id_fkey
              REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  issued_at   timestamptz NOT NULL,
  valid_until timestamptz NOT NULL
);

-- Wrong passwords in a row, by the email that was typed: kept for unknown emails too, so that being
-- slowed down tells nobody whether an account exists (ACC-7).
CREATE TABLE data4help.login_failures (
  email_blind      bytea CONSTRAINT login_failures_pkey PRIMARY KEY,
  wrong_passwords  integer NOT NULL,
  login_after      timestamptz,
  last_at          timestamptz NOT NULL
);

CREATE INDEX login_failures_last_at_idx ON data4help.login_failures (last_at);
CREATE INDEX activations_account_id_idx ON data4help.activations (account_id);
CREATE INDEX accounts_registered_at_idx ON data4help.accounts (registered_at) WHERE state = 1;

GRANT SELECT, INSERT, UPDATE, DELETE
  ON data4help.accounts, data4help.email_index, data4help.fiscal_code_index,
     data4help.vat_number_index, data4help.company_name_index, data4help.begun_registrations,
     data4help.activations, data4help.login_failures
  TO data4help;
