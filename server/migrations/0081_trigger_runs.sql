-- owner: engine/. Runs that a trigger starts have a source of their own.
-- Not checked against the rows that are there, which would read them all: the new list contains the old one.
alter table runs drop constraint runs_source_check;
alter table runs add constraint runs_source_check
  check (source in ('api', 'schedule', 'case_trigger', 'trigger', 'mcp', 'console', 'agent', 'retry', 'artifact')) not valid;
