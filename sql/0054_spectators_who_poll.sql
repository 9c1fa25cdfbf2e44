-- How many addresses poll a run: each gateway notes it beside the streams of Track4Run's processes
-- (RUN-15). Of whom the addresses are stands nowhere.
GRANT USAGE ON SCHEMA track4run TO gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON track4run.audiences TO gateway;
GRANT SELECT (run_id) ON track4run.runs TO gateway;
GRANT SELECT (run_id, code) ON track4run.publications TO gateway;
