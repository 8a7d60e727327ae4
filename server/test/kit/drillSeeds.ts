// What the operations about drills need before they can succeed: there is one drill at a time in an installation.
import { newId } from '../../src/base/ids.ts'
import type { TestTeam } from './seed.ts'

export async function endDrills({ sql }: TestTeam): Promise<void> {
  await sql`update drills set state = 'stopped', ended_at = now() where state in ('requested', 'running')`
}

/** One that has ended is enough to stop: others may be starting one at the same time. */
export async function pastDrill({ sql }: TestTeam): Promise<void> {
  await sql`insert into drills (id, state, runs, kills, ended_at) values (${newId()}, 'held', 200, 20, now())`
}
