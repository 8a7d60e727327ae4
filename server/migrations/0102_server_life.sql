-- owner: kit/. In which life of the server a process held its lock, and in which one it was missed: a promoted standby begins another life.
-- Older code: works.

alter table processes
  -- the start of the server and the timeline of its write-ahead log; null for a process of an older version
  add column server_life text,
  -- the life in which missed_since was written
  add column missed_life text;
