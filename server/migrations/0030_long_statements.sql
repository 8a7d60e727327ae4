-- owner: features/queues/. For statements that go on for long: sleeps so many times as long as this transaction has worked since it slept
-- last. So it leaves the same share of a processor to others when that is slow; PostgreSQL sleeps for whole milliseconds.
create function has_rested(times real) returns boolean language plpgsql volatile as $$
declare
  slept_at timestamptz := nullif(current_setting('runyard.slept_at', true), '');
begin
  perform pg_sleep(extract(epoch from clock_timestamp() - slept_at) * times);
  perform set_config('runyard.slept_at', clock_timestamp()::text, true);
  return true;
end
$$;
