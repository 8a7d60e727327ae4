-- owner: kit/. The order of a team's stream without a write of its own: an event has the number of the transaction that wrote it, and a
-- stream reads what lies before the oldest transaction that is still open.

-- What is added to numbers of transactions. A restored database may lie in a cluster that counts from lower ones: then it is raised.
create table event_clock (
  is_only boolean primary key default true check (is_only),
  base bigint not null default 0,
  -- the identifier of the cluster that it was set for
  cluster text not null
);
insert into event_clock (cluster) select system_identifier::text from pg_control_system();

-- The number of this transaction among all that ever wrote events.
create function event_xid() returns bigint language sql stable as $$
  select base + pg_current_xact_id()::text::bigint from event_clock
$$;

-- Events from before have 0 and stand before all others, by their time. A constant default writes no row of a large table.
alter table events add column xid bigint not null default 0;
alter table events alter column xid set default event_xid();
-- that of the run's last event: an older transaction may write the next one
alter table runs add column event_xid bigint not null default 0;
