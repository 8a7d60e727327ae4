-- owner: features/queues/. A bulk action can be stopped, knows how many cases it is over, and those of a queue are listed, newest first.
alter table bulk_actions drop constraint bulk_actions_status_check;
alter table bulk_actions add constraint bulk_actions_status_check check (status in ('running', 'completed', 'failed', 'stopped'));
-- null: of a release that did not count them
alter table bulk_actions add column total_count int;
drop index bulk_actions_by_queue;
create index bulk_actions_by_queue on bulk_actions (queue_id, created_at, id);

-- events say which member holds a case
create or replace function case_json(c cases, labels json) returns json language sql stable parallel safe as $$
  select json_build_object('id', c.id, 'queue_id', c.queue_id, 'title', c.title, 'data', c.data,
    'status', case when c.display_status in ('completed', 'failed') then c.display_status else 'pending' end,
    'display_status', c.display_status, 'priority', (array['none', 'medium', 'high'])[c.priority + 1],
    'labels', coalesce(labels, '[]'::json),
    'claimed_at', iso(c.claimed_at), 'claimed_by_run_id', c.claimed_by_run_id, 'claimed_by_user_id', c.claimed_by_user_id,
    'completed_at', iso(c.completed_at),
    'postponed_to', iso(c.postponed_to), 'attempts', c.attempts, 'result', c.result, 'reason', c.reason,
    'pending_human_request_id', c.pending_human_request_id, 'created_by_user_id', c.created_by_user_id,
    'created_at', iso(c.created_at), 'updated_at', iso(c.updated_at))
$$;
