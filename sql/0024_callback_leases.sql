-- Who calls a third party is one of the processes that hand out data: when its lease there ends,
-- as it does 5 s after a crash, somebody else goes on (REQ-2, NFR-4). Without it the third party
-- waited for the end of the longest call.

ALTER TABLE data4help.callbacks
  ADD COLUMN leased_by uuid;  -- of delivering_replicas, while leased_until stands
