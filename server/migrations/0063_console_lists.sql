-- owner: engine/. Outside transactions: the inbox by deadline, and the runs that failed lately.

-- the closest deadline first; requests without one come last
create index concurrently if not exists human_requests_by_deadline on human_requests (team_id, expires_at, id) where status = 'pending'

-- what failed when; only runs that fail pay for it
create index concurrently if not exists runs_failed on runs (team_id, completed_at, id) where status = 'failed'
