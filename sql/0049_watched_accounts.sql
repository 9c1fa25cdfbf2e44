-- The gateway reads which accounts AutomatedSOS watches over, by the numbers of the changes
-- (SOS-2): the first upload of a person behind a start of it goes the way of alarms too. That, and
-- nothing else of them: thresholds and contacts are none of its business.

GRANT SELECT (account_id, permitted_at, change) ON data4help.monitored_users TO gateway;
