-- Notices, and the numbered sequence of each third party (NTF-1, REQ-2, REQ-4, REQ-9). Everything
-- that a third party is told enters the log that numbers its samples; what a notice says is sealed
-- with the key of who gets it, since who asks whom is personal.

-- One row an account: its update gives notices their numbers in the order of commits.
CREATE TABLE data4help.notice_heads (
  account_id   bigint CONSTRAINT notice_heads_pkey PRIMARY KEY,
  count        bigint NOT NULL,
  pushed       bigint NOT NULL DEFAULT 0,        -- up to here a stream of the account has taken
  mailed_kinds smallint NOT NULL DEFAULT 127     -- a bit a kind that is sent by mail
) WITH (fillfactor = 50);

CREATE TABLE data4help.notices (
  account_id      bigint NOT NULL,
  number          bigint NOT NULL,               -- from 1, without a hole
  -- 1 request, 2 answer, 3 ended, 4 room, 5 security, 6 alarm, 7 run
  kind            smallint NOT NULL CONSTRAINT notices_kind_check CHECK (kind BETWEEN 1 AND 7),
  created_at      timestamptz NOT NULL,
  is_read         boolean NOT NULL DEFAULT false,
  mail_at         timestamptz,                   -- when it is sent by mail unless it was pushed
  sealed_payload  bytea NOT NULL,
  CONSTRAINT notices_pkey PRIMARY KEY (account_id, number)
) WITH (fillfactor = 90);

CREATE INDEX notices_unread_idx ON data4help.notices (account_id) WHERE NOT is_read;
CREATE INDEX notices_mail_at_idx ON data4help.notices (mail_at) WHERE mail_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.notice_heads, data4help.notices TO data4help;

-- 1 samples, 2 an answer, 3 an end, 4 samples were erased, 5 no more samples of these types for now
ALTER TABLE data4help.third_party_log
  ADD COLUMN kind smallint NOT NULL DEFAULT 1
    CONSTRAINT third_party_log_kind_check CHECK (kind BETWEEN 1 AND 5),
  ADD COLUMN status smallint,                    -- of the request, as the answer made it
  ADD COLUMN reason smallint,                    -- of an end; of unavailable types 1 switched off,
                                                 -- 2 account inactive, 3 collection paused
  ADD COLUMN from_ts bigint,                     -- of erased samples, milliseconds since 1970
  ADD COLUMN to_ts bigint;

DROP INDEX data4help.third_party_log_request_id_idx;
CREATE INDEX third_party_log_request_id_idx
  ON data4help.third_party_log (request_id, last_seq) WHERE kind = 1;

-- Whether somebody subscribes to the account: uploads read it with the row that they lock anyway,
-- and tell the relay of their process.
ALTER TABLE data4help.sample_accounts ADD COLUMN is_followed boolean NOT NULL DEFAULT false;

-- Reminders before a subscription ends: 0 none yet, 1 three days, 2 one day before.
ALTER TABLE data4help.single_requests ADD COLUMN reminders smallint NOT NULL DEFAULT 0;

CREATE INDEX single_requests_ends_at_idx
  ON data4help.single_requests (ends_at) WHERE status = 2 AND is_subscribing;

-- 1 json, 2 csv, 3 stream, 4 events
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 4);
