-- Why: a call to a hospital also ends when the message was heard at the emergency number (SOS-5):
-- its reason is 5 in data4help.third_party_log.

COMMENT ON COLUMN data4help.third_party_log.reason IS
  'Of an end as single_requests.end_reason; of unavailable types 1 switched off, 2 account '
  'inactive, 3 collection paused; of the end of a call 1 false alarm, 2 another hospital has it, '
  '3 closed, 4 unanswered, 5 heard at the emergency number; NULL for other kinds';
