-- owner: engine/. Outside transactions: requests that are closed, the last one first.
create index concurrently if not exists human_requests_closed on human_requests (team_id, responded_at desc, id desc) where status <> 'pending'
