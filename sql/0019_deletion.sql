-- Deleted accounts (ACC-8). Their sessions stay, ended and nobody's, until the gateways have
-- followed the change (GW-3); everything else of theirs is found by the account and removed.

ALTER TABLE data4help.sessions
  ALTER COLUMN account_id DROP NOT NULL,
  DROP CONSTRAINT sessions_account_id_fkey,
  ADD CONSTRAINT sessions_account_id_fkey
    FOREIGN KEY (account_id) REFERENCES data4help.accounts (account_id) ON DELETE SET NULL;

CREATE INDEX sessions_account_id_idx ON data4help.sessions (account_id);

-- Names are freed by the account, also once its key is gone and they can't be hashed again.
DROP INDEX data4help.email_index_account_id_idx;
DROP INDEX data4help.fiscal_code_index_account_id_idx;
DROP INDEX data4help.vat_number_index_account_id_idx;
DROP INDEX data4help.company_name_index_account_id_idx;
CREATE INDEX email_index_account_id_idx ON data4help.email_index (account_id);
CREATE INDEX fiscal_code_index_account_id_idx ON data4help.fiscal_code_index (account_id);
CREATE INDEX vat_number_index_account_id_idx ON data4help.vat_number_index (account_id);
CREATE INDEX company_name_index_account_id_idx ON data4help.company_name_index (account_id);
