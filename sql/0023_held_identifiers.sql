-- Who holds an email, a fiscal code, a P.IVA or a company name, in one table: a blind value tells
-- by itself which of the four it stands for, so that one statement serves all. A registration that
-- is not activated in time reserves nothing: its row gives way to the next one (ACC-1).
-- Registrations take the email first, the company name last, so that none waits for another in a
-- circle.

CREATE TABLE data4help.held_identifiers (
  blind           bytea CONSTRAINT held_identifiers_pkey PRIMARY KEY,
  account_id      bigint NOT NULL,
  reserved_until  timestamptz                    -- null once the account was activated
);

INSERT INTO data4help.held_identifiers (blind, account_id, reserved_until)
SELECT blind, account_id, reserved_until FROM data4help.email_index
UNION ALL
SELECT blind, account_id, reserved_until FROM data4help.fiscal_code_index
UNION ALL
SELECT blind, account_id, reserved_until FROM data4help.vat_number_index
UNION ALL
SELECT blind, account_id, reserved_until FROM data4help.company_name_index;

DROP TABLE data4help.email_index, data4help.fiscal_code_index, data4help.vat_number_index,
           data4help.company_name_index;

-- Freed by the account, also once its key is gone and what it held can't be hashed again.
CREATE INDEX held_identifiers_account_id_idx ON data4help.held_identifiers (account_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.held_identifiers TO data4help;
