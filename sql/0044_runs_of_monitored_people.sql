-- Who of the monitored people is in a run that is on, which raises the upper bound of the heart
-- rate (SOS-1): every process of Data4Help looks at the live check-ins every ten seconds.

CREATE INDEX single_requests_live_check_in_idx
  ON data4help.single_requests (to_ts) WHERE is_check_in AND status = 2;
