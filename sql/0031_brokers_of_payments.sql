-- Whose page a payment's is (REQ-7): where another broker takes payments, or none, the page of the
-- one before is given to nobody any more.

ALTER TABLE data4help.payments
  ADD COLUMN broker text;                        -- NULL before the first page; of older ones too
