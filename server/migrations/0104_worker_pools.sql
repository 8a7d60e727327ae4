-- owner: engine/. A build may ask for a pool of workers, and only processes of that pool take its runs.
-- Older code: works.

-- read once when the config is written, and not at every start; null: the usual pool
alter table builds add column worker_pool text generated always as (config #>> '{data,worker_pool}') stored;
alter table runs add column worker_pool text;
