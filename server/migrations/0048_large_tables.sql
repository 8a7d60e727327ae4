-- owner: engine/. Outside transactions: what takes long on large tables. Nobody waits for it, since it locks no table and few rows at a time.
-- Each statement ends with an empty line, and may be run again after a process was killed in the middle of it.

-- refused requests are kept for less long than others; only they pay for this index
create index concurrently if not exists audit_log_refused on audit_log (id) where status >= 400

create index concurrently if not exists runs_by_config on runs (team_id, config_hash) where config_hash is not null

-- runs that processes died over are not taken beside others: they have a line of their own
create index concurrently if not exists runs_suspect on runs (admitted_at) where admitted_at is not null and worker is null and deaths in (2, 3)

create index concurrently if not exists runs_hurt on runs (id) where admitted_at is not null and deaths > 0

create index concurrently if not exists run_messages_by_blob on run_messages (text_blob) where text_blob is not null

create index concurrently if not exists run_messages_large on run_messages (run_id) where text_blob is not null

create index concurrently if not exists runs_by_message_blob on runs (message_blob) where message_blob is not null

-- Active runs act for whom they were started by; runs of drafts keep the config that their draft has now.
do $$
declare
  first uuid;
  next uuid := '00000000-0000-0000-0000-000000000000';
begin
  while next is not null loop
    first := next;
    next := (select id from runs where id >= first order by id offset 10000 limit 1);
    with of_draft as (
      select r.id, b.team_id, b.config, encode(sha256(convert_to(b.config::text, 'UTF8')), 'hex') as hash
      from runs r join builds b on b.id = r.build_id and b.status = 'draft'
      where r.id >= first and (next is null or r.id < next) and r.config_hash is null
    ), pinned as (
      insert into pinned_configs (team_id, hash, config)
      select distinct on (team_id, hash) team_id, hash, config from of_draft order by team_id, hash
      on conflict (team_id, hash) do update set used_at = now()
    )
    update runs r set config_hash = d.hash from of_draft d where r.id = d.id;
    update runs set acts_for = array[user_id]
    where id >= first and (next is null or id < next) and status in ('pending', 'running', 'waiting') and user_id is not null and acts_for = '{}';
    commit;
  end loop;
end $$
