-- owner: kit/. Outside transactions: events are found by their transaction, and positions are not written any more.

create index concurrently if not exists events_by_xid on events (team_id, xid, created_at)

drop index concurrently if exists events_without_position

drop index concurrently if exists events_by_position

alter table events drop column if exists position

drop sequence if exists event_positions

drop table if exists event_lines
