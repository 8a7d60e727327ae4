-- owner: engine/. Texts of more than 64 KiB are kept once, as blobs, however often a run names them: as the message that it was started with, in its
-- log, in the log of a run that goes on from it. The columns keep their beginning, for what reads no more than that (search, transcripts).
alter table run_messages add column text_blob bytea references blobs (sha256);
-- a later migration builds the indexes for these columns
-- message_is_text: the message is this text; otherwise it is the JSON that the text spells
alter table runs add column message_blob bytea references blobs (sha256), add column message_is_text boolean;

-- The blob of a text, made if there is none. The lock keeps the sweep from taking one that is about to be named.
create function keep_text(given text) returns bytea language plpgsql as $$
declare
  content bytea := convert_to(given, 'UTF8');
  name bytea := sha256(content);
  made uuid;
begin
  loop
    perform from blobs where sha256 = name for key share;
    if found then return name; end if;
    insert into blobs (id, sha256, size_bytes) values (gen_random_uuid(), name, length(content))
    on conflict (sha256) do nothing returning id into made;
    if made is not null then
      -- in pieces of 1 MiB, as drivers/blobs reads them
      insert into blob_chunks (blob_id, n, bytes)
      select made, n, substring(content from n * 1048576 + 1 for 1048576) from generate_series(0, (length(content) - 1) / 1048576) n;
      return name;
    end if;
  end loop;
end $$;

create function blob_text(name bytea) returns text language sql stable as $$
  select convert_from(string_agg(c.bytes, ''::bytea order by c.n), 'UTF8')
  from blobs b join blob_chunks c on c.blob_id = b.id where b.sha256 = name
$$;

-- A trigger and not a duty of those who write, for messages are written in many places.
create function large_message_is_kept() returns trigger language plpgsql as $$
begin
  new.text_blob := keep_text(new.text_content);
  new.text_content := left(new.text_content, 20000);
  return new;
end $$;
create trigger run_messages_kept before insert on run_messages
  for each row when (octet_length(new.text_content) > 65536 and new.text_blob is null) execute function large_message_is_kept();

-- The large texts of a run count as stored while the run is there: its message, and other texts of its log until that is erased.
create function large_run_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes select new.team_id, size_bytes from blobs where sha256 = new.message_blob;
  return null;
end $$;
create trigger runs_stored_new after insert on runs
  for each row when (new.message_blob is not null) execute function large_run_is_stored();

-- The log of a deleted run is erased afterwards, when nobody knows its team any more: its texts are taken off with the run.
create function gone_run_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  select old.team_id, -sum(size_bytes) from (
    select b.size_bytes from blobs b where b.sha256 = old.message_blob
    union all
    select b.size_bytes from run_messages m join blobs b on b.sha256 = m.text_blob
    where m.run_id = old.id and m.text_blob is not null and m.text_blob is distinct from old.message_blob
  ) gone having sum(size_bytes) > 0;
  return null;
end $$;
create trigger runs_stored_gone after delete on runs for each row execute function gone_run_is_stored();

create function large_text_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  select r.team_id, b.size_bytes from runs r, blobs b
  where r.id = new.run_id and b.sha256 = new.text_blob and r.message_blob is distinct from new.text_blob;
  return null;
end $$;
create trigger run_messages_stored_new after insert on run_messages
  for each row when (new.text_blob is not null) execute function large_text_is_stored();

-- The lock makes a deletion of the run wait, which would take the same text off too.
create function gone_text_is_stored() returns trigger language plpgsql as $$
begin
  insert into stored_bytes
  select r.team_id, -b.size_bytes from (
    select team_id, message_blob from runs where id = old.run_id for key share
  ) r, blobs b where b.sha256 = old.text_blob and r.message_blob is distinct from old.text_blob;
  return null;
end $$;
create trigger run_messages_stored_gone after delete on run_messages
  for each row when (old.text_blob is not null) execute function gone_text_is_stored();
