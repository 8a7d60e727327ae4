// Cuts: each time that a process lost a run on which it was at work, written by the statement that takes the run from it.
import { part, type Part } from '../../base/db.ts'

type CutReason = 'died' | 'left' | 'gave_back'

/** SQL over `id`, a run: its steps that are begun and have no outcome. */
const begunSteps = (id: Part): Part => part`
  coalesce((select jsonb_agg(jsonb_build_array(s.seq, s.attempt) order by s.seq) from run_steps s
    where s.run_id = ${id} and s.state = 'intent'), '[]')`

/**
 * Writes the cuts of runs that were taken from their processes. `freed` gives their id, their new epoch and the worker that had them. A run
 * that is given back between two steps was not cut off: of those, `onlyBegun` keeps the others.
 */
export const insertCuts = (freed: Part, reason: CutReason, { onlyBegun = false } = {}): Part => part`
  insert into run_cuts (run_id, epoch, reason, worker, host, pid, steps)
  select f.id, f.epoch, ${reason}, f.worker, p.host, p.pid, f.steps
  from (select freed.*, ${begunSteps(part`freed.id`)} as steps from ${freed} freed where freed.worker is not null) f
  left join processes p on p.id = f.worker
  where not ${onlyBegun}::boolean or f.steps <> '[]'`
