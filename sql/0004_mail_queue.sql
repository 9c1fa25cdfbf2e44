-- Mail to be sent (ACC-1, ACC-7), queued in the transaction that causes it, so that none is lost
-- and none is sent for what did not happen. Address, subject and text are sealed under the server's
-- mail key and emptied once the mail was sent.

CREATE TABLE data4help.mails (
  mail_id          uuid CONSTRAINT mails_pkey PRIMARY KEY, -- the Message-ID holds it
  sealed_message   bytea NOT NULL,
  queued_at        timestamptz NOT NULL,
  attempts         integer NOT NULL DEFAULT 0,
  next_attempt_at  timestamptz NOT NULL,
  leased_until     timestamptz,
  sent_at          timestamptz,
  failed_at        timestamptz,
  last_error       text,
  CONSTRAINT mails_ended_check CHECK (sent_at IS NULL OR failed_at IS NULL)
);

CREATE INDEX mails_next_attempt_at_idx
  ON data4help.mails (next_attempt_at) WHERE sent_at IS NULL AND failed_at IS NULL;
CREATE INDEX mails_ended_at_idx
  ON data4help.mails (coalesce(sent_at, failed_at))
  WHERE sent_at IS NOT NULL OR failed_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.mails TO data4help;
