-- What people wish of their collected data: pauses, deletions, room (DAT-5 to DAT-8). The tables of
-- 0006 hold all of it (`paused_until`, chunks that are cut in place), so that only
-- the time of the last notice about room joins them.

COMMENT ON COLUMN data4help.sample_accounts.paused_until IS
  'until when uploads and imports store nothing (DAT-8)';

ALTER TABLE data4help.sample_accounts ADD COLUMN room_told_at timestamptz;
COMMENT ON COLUMN data4help.sample_accounts.room_told_at IS
  'when the person was last told that the oldest samples made way (DAT-5)';
