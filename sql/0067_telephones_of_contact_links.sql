-- A contact agrees only to the telephone that the mail of the link named, and an address is asked a
-- few times a day at most, whichever accounts name it (SOS-6, decision 0103).

ALTER TABLE data4help.emergency_contact_links
  -- keyed hash of the telephone that the mail named, or of there being none; NULL: declines only
  ADD COLUMN phone bytea;

-- Links that are not older than the last question are about its telephone.
UPDATE data4help.emergency_contact_links AS link
   SET phone = contact.phone
  FROM data4help.emergency_contacts AS contact
 WHERE contact.account_id = link.account_id
   AND contact.contact = link.contact
   AND contact.state = 1
   AND contact.asked_at <= link.issued_at;

-- Mails that asked an address whether it agrees, for a day. Without accounts, so that a deleted
-- account does not take its mails out of the count.
CREATE TABLE data4help.contact_questions (
  question_id  bigint GENERATED ALWAYS AS IDENTITY
               CONSTRAINT contact_questions_pkey PRIMARY KEY,
  receiver     bytea NOT NULL,                   -- a keyed hash of the address
  asked_at     timestamptz NOT NULL
);

CREATE INDEX contact_questions_receiver_idx
  ON data4help.contact_questions (receiver, asked_at);
CREATE INDEX contact_questions_asked_at_idx ON data4help.contact_questions (asked_at);

GRANT SELECT, INSERT, DELETE ON data4help.contact_questions TO data4help;
