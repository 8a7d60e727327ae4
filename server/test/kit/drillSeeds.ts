// What the operations about drills need before they can succeed: there is one drill at a time in an installation.
import { newId } from '../../src/base/ids.ts'
import type { TestTeam } from './seed.ts'

export async function endDrills({ sql }: TestTeam): Promise<void> {
  await sql`update drills set state = 'stopped', ended_at = now() where state in ('requested', 'running')`
}

/** No process takes it. */
export async function requestDrill(team: TestTeam): Promise<void> {
  await endDrills(team)
  await team.sql`insert into drills (id, state, runs, kills) values (${newId()}, 'requested', 200, 20) on conflict do nothing`
}
