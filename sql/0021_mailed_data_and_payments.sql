-- Data that was sent by mail (R24), in the record of accesses.

-- 8 a file in a mail
ALTER TABLE data4help.accesses
  DROP CONSTRAINT accesses_format_check,
  ADD CONSTRAINT accesses_format_check CHECK (format BETWEEN 1 AND 8);

-- Payments (REQ-7, REQ-8): one for each request that costs something, from the moment on at which
-- it waits for it. The price that stood when the request was sent is kept with it.
ALTER TABLE data4help.single_requests
  ADD COLUMN price_cents bigint NOT NULL DEFAULT 0
    CONSTRAINT single_requests_price_cents_check CHECK (price_cents >= 0);
ALTER TABLE data4help.group_requests
  ADD COLUMN price_cents bigint NOT NULL DEFAULT 0
    CONSTRAINT group_requests_price_cents_check CHECK (price_cents >= 0),
  ADD COLUMN paid_at timestamptz;

CREATE TABLE data4help.payments (
  request_id      uuid CONSTRAINT payments_pkey PRIMARY KEY,
  third_party_id  bigint NOT NULL,
  amount_cents    bigint NOT NULL
                  CONSTRAINT payments_amount_cents_check CHECK (amount_cents > 0),
  due_at          timestamptz NOT NULL,
  attempt         integer NOT NULL DEFAULT 0,    -- pages of the broker that were opened
  opened_at       timestamptz,                   -- the newest
  checkout_id     text,
  checkout_url    text,
  paid_at         timestamptz
);

CREATE INDEX payments_third_party_id_idx
  ON data4help.payments (third_party_id, due_at DESC, request_id DESC);

GRANT SELECT, INSERT, UPDATE, DELETE ON data4help.payments TO data4help;
