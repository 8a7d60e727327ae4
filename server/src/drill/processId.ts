// A process of this machine as the others know it.
import { hostname } from 'node:os'
import type { Sql } from '../base/db.ts'
import { mustHave } from '../base/mustHave.ts'

export async function processIdOf({ sql }: { sql: Sql }, { pid }: { pid: number }): Promise<string> {
  const [found] = await sql<{ id: string }>`
    select id from processes where pid = ${pid} and host = ${hostname()} order by started_at desc limit 1`
  return mustHave(found, 'the row of a process').id
}
