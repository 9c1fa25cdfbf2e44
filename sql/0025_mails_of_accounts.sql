-- Whose a mail is, and of which request it holds data (ACC-8, R21, R24): what waits for an account
-- that is deleted, or of a request that its user ends, leaves no more. Mails that waited before
-- this migration are nobody's and leave as they did.

ALTER TABLE data4help.mails
  ADD COLUMN account_id bigint -- nobody's where it is null
    CONSTRAINT mails_account_id_fkey
      REFERENCES data4help.accounts (account_id) ON DELETE CASCADE,
  ADD COLUMN request_id uuid;  -- null where it holds nobody's data

CREATE INDEX mails_account_id_idx
  ON data4help.mails (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX mails_request_id_idx
  ON data4help.mails (request_id) WHERE request_id IS NOT NULL;

-- A mail on its way is called back with its request or its account.
ALTER TABLE data4help.recalls
  DROP CONSTRAINT recalls_pkey,
  ALTER COLUMN request_id DROP NOT NULL,
  ADD COLUMN account_id bigint,
  ADD CONSTRAINT recalls_request_id_check
    CHECK (num_nonnulls(request_id, account_id) = 1);

CREATE INDEX recalls_number_idx ON data4help.recalls (number);
