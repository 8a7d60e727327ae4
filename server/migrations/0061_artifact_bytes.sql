-- owner: engine/. Pages and chats of artifacts count as stored. A draft does not: there is one for each artifact at work, and it ends with the work.
create function revision_bytes(r artifact_revisions) returns bigint language sql immutable as $$
  select octet_length(r.procedure)::bigint + octet_length(r.html) + octet_length(r.data::text)
$$;
create function artifact_message_bytes(m artifact_messages) returns bigint language sql immutable as $$
  select octet_length(m.content)::bigint + coalesce(octet_length(m.selected_element::text), 0)
$$;

create function revisions_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, sum(revision_bytes(fresh)) from fresh group by team_id;
  return null;
end $$;
create function revisions_are_gone() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, -sum(revision_bytes(gone)) from gone group by team_id;
  return null;
end $$;
create function revision_data_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes values (new.team_id, revision_bytes(new) - revision_bytes(old));
  return null;
end $$;
create trigger revisions_stored after insert on artifact_revisions referencing new table as fresh
  for each statement execute function revisions_are_stored();
create trigger revisions_gone after delete on artifact_revisions referencing old table as gone
  for each statement execute function revisions_are_gone();
create trigger revisions_refreshed after update of procedure, html, data on artifact_revisions for each row
  when (new.procedure <> old.procedure or new.html <> old.html or new.data <> old.data)
  execute function revision_data_is_stored();

create function artifact_messages_are_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, sum(artifact_message_bytes(fresh)) from fresh group by team_id;
  return null;
end $$;
create function artifact_messages_are_gone() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select team_id, -sum(artifact_message_bytes(gone)) from gone group by team_id;
  return null;
end $$;
create trigger artifact_messages_stored after insert on artifact_messages referencing new table as fresh
  for each statement execute function artifact_messages_are_stored();
create trigger artifact_messages_gone after delete on artifact_messages referencing old table as gone
  for each statement execute function artifact_messages_are_gone();

-- What is there already.
insert into stored_bytes
select team_id, sum(bytes) from (
  select team_id, revision_bytes(r) as bytes from artifact_revisions r
  union all
  select team_id, artifact_message_bytes(m) from artifact_messages m
) kept group by team_id having sum(bytes) <> 0;
