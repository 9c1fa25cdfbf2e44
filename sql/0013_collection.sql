-- What people wish of their collected data: pauses, deletions, room (DAT-5 to DAT-8). The tables of
-- 0006 hold all of it (`paused_until`, chunks that are cut in place), so that nothing changes here
-- but what stands beside the columns.

COMMENT ON COLUMN data4help.sample_accounts.paused_until IS
  'until when uploads and imports store nothing (DAT-8)';
