-- owner: features/sandboxes/. Outside transactions: the sandboxes that callers made, among the many that runs have.
create index concurrently if not exists sandboxes_of_callers on sandboxes (team_id, id) where expires_at is not null
