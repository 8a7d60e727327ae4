-- owner: engine/. Outside transactions: runs that wait behind a long line of capped ones are found without reading that line (decision 0010).
-- Older code: works.

-- `nulls last`, though there are none: whoever asks for this order does not get runs_in_line, whose first entries may all be of another build.
create index concurrently if not exists runs_in_line_by_build on runs (team_id, build_id, is_woken desc nulls last, queued_at) where queued_at is not null
