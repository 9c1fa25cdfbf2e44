-- The language and time zone in which an account is written to (NTF-3); null for the
-- installation's. In clear: mails are made in batches, from rows alone.

ALTER TABLE data4help.accounts
  ADD COLUMN language text
    CONSTRAINT accounts_language_check CHECK (language IN ('it', 'en')),
  ADD COLUMN time_zone text                        -- a name of the IANA database
    CONSTRAINT accounts_time_zone_check CHECK (length(time_zone) <= 64);
