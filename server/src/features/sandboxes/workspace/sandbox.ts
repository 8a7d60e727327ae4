// A sandbox: a workspace with the right to run commands in it, held by one run or one command at a time.
import { part, type Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { resource } from '../../../kit/resources.ts'
import { Id, nullable, oneOf, Time, Type, type Static } from '../../../kit/schema.ts'
import { lockedColumns, type LockedSandbox } from './changes.ts'
import { isOfVisibleRun, requireRunChange } from '../../../engine/ledger/visibleRuns.ts'
import { activeList } from '../../../engine/ledger/lifecycle.ts'

export const SandboxStatus = oneOf(['ready', 'busy'], {
  description:
    '`busy` while a run that is running, or a command, holds it: then it takes no files and no other command.',
})

export const Sandbox = Type.Object({
  sandbox_id: Id,
  status: SandboxStatus,
  expires_at: nullable(
    Type.Unsafe<string>({
      ...Time,
      description: 'When it and its files are deleted; null for a run’s own sandbox, whose files stay after the run.',
    }),
  ),
  run_id: nullable(Id),
  files_total: Type.Integer({ minimum: 0, description: 'Files, links and empty folders that it holds.' }),
  kept_bytes: Type.Integer({
    minimum: 0,
    description:
      'Bytes of its files, with the earlier contents of changed ones. Its limit also counts 1 KiB and its path for each earlier state of a path.',
  }),
  created_at: Time,
})

export type Sandbox = Static<typeof Sandbox>

/** A sandbox whose time is over is not found any more, although the sweep deletes it later. */
export const isThere = part`(s.expires_at is null or s.expires_at > now() or s.run_id is not null)`

const isHeld = part`
  exists (select from sandbox_execs e where e.sandbox_id = s.id and e.ended_at is null)
  or exists (select from runs r where r.id = s.run_id and r.status = 'running')`

export const sandboxColumns = part`
  s.id as sandbox_id, case when ${isHeld} then 'busy' else 'ready' end as status, s.expires_at, s.run_id,
  s.entries as files_total, s.kept_bytes, s.created_at`

export type FoundSandbox = Sandbox & { team_id: string }

export const sandbox = resource(
  'sandbox',
  (sql, id, teamId, { member_id }) => sql<FoundSandbox>`
    select ${sandboxColumns}, s.team_id from sandboxes s
    where s.id = ${id} and s.team_id = ${teamId} and ${isThere} and ${isOfVisibleRun(member_id, part`s.run_id`)}`,
  (sql, { run_id }, { member_id }) => requireRunChange(sql, run_id, member_id),
)

declare module '../../../kit/resources.ts' {
  interface Resources {
    sandbox: FoundSandbox
  }
}

const busy = (holder: string) => new Fault('sandbox_busy', `${holder} Wait for its end, then try again.`)

/** Locks a sandbox for a change that a caller makes; refuses while a run or a command holds it. */
export async function lockFreeSandbox(sql: Sql, { sandbox_id, team_id }: FoundSandbox): Promise<LockedSandbox> {
  // its run is locked first, as everywhere: while both are locked, the run cannot begin
  const [run] = await sql<{ id: string; status: string }>`
    select r.id, r.status from sandboxes s join runs r on r.id = s.run_id
    where s.id = ${sandbox_id} and s.team_id = ${team_id} for share of r`
  const [locked] = await sql<LockedSandbox & { run_id: string | null }>`
    select s.run_id, ${lockedColumns} from sandboxes s
    where s.id = ${sandbox_id} and s.team_id = ${team_id} and ${isThere} for update`
  if (!locked) throw new Fault('not_found')
  if (run?.status === 'running' || locked.run_id !== (run?.id ?? null)) throw busy('A run is using this sandbox.')
  const [exec] = await sql`select 1 from sandbox_execs where sandbox_id = ${sandbox_id} and ended_at is null`
  if (exec) throw busy('A command is running in this sandbox.')
  return locked
}

/** Gives a sandbox to a run as its workspace; refuses while an unfinished run has it or a command runs in it. */
export async function giveToRun(sql: Sql, sandboxId: string, run: { id: string; team_id: string }): Promise<boolean> {
  // locked in a statement of its own: what the next one sees is as of now, and nobody else gives it away at the same time
  const [locked] = await sql<{ run_id: string | null }>`
    select s.run_id from sandboxes s where s.id = ${sandboxId} and s.team_id = ${run.team_id} and ${isThere} for update`
  if (!locked) return false
  if (locked.run_id === run.id) return true
  const [holder] = await sql<{ what: string }>`
    select 'A command is running in this sandbox.' as what from sandbox_execs where sandbox_id = ${sandboxId} and ended_at is null
    union all
    select 'The run ' || id || ' has this sandbox and has not ended.' from runs
    where id = ${locked.run_id} and status in ${activeList}`
  if (holder) throw busy(holder.what)
  await sql`
    with taken as (
      update sandboxes s set run_id = ${run.id}, step_base = s.last_step + 1
      where s.id = ${sandboxId} and s.team_id = ${run.team_id} returning s.step_base
    )
    insert into sandbox_uses (run_id, team_id, sandbox_id, step_base)
    select ${run.id}, ${run.team_id}, ${sandboxId}, step_base from taken
    on conflict (run_id) do update set step_base = excluded.step_base`
  return true
}
