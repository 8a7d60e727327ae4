// The service and its floor side by side on one database, for as long as some work needs both.
import { Client } from 'pg'
import { startFloor, type Floor } from './floor.ts'
import { connections, type Bed } from './interleave.ts'
import type { Shot } from './connection.ts'
import { startService, type DataDir, type Service, type ServiceOptions } from './service.ts'
import { callsOf, countFromNextStart, countStatements } from './statements.ts'
import type { Row } from './table.ts'

export interface Contest {
  /** File of the floor, in this folder. */
  floor: string
  shotFor(service: Service): Shot
}

export async function withPair<T>(
  contest: Contest,
  dataDir: DataDir,
  options: ServiceOptions,
  work: (service: Service, floor: Floor, shot: Shot) => Promise<T>,
): Promise<T> {
  const service = await startService(dataDir, options)
  let result: T
  try {
    const { databaseUrl, connectionsMax, teamId } = service
    const [key] = await query<{ id: string; member_id: string }>(service, 'select id, member_id from api_keys limit 1')
    const facts = { databaseUrl, connectionsMax, teamId, memberId: key!.member_id, credentialId: key!.id }
    await using floor = await startFloor(contest.floor, facts, options.execArgv)
    result = await work(service, floor, contest.shotFor(service))
  } catch (error) {
    // what went wrong first is the news, not what it did to the service's end
    await service.stop().catch(() => undefined)
    throw error
  }
  await service.stop()
  return result
}

/** One request as the load sends it, for a look at its answer. */
export async function sendOnce(side: { host: string; port: number }, shot: Shot): Promise<string> {
  const answer = await fetch(`http://${side.host}:${side.port}${shot.path}`, {
    method: shot.method,
    headers: { ...shot.headers, ...(shot.freshKey && { 'idempotency-key': crypto.randomUUID() }) },
    ...(shot.body !== undefined && { body: shot.body }),
  })
  const text = await answer.text()
  if (answer.status !== shot.status) throw new Error(`${shot.method} ${shot.path} gave ${answer.status}: ${text}`)
  return text
}

const countedRequests = 5000

/** On a start of its own, after the rounds that were timed. */
export async function statementRow(
  bed: Bed,
  contest: Contest,
  dataDir: DataDir,
  options: ServiceOptions,
): Promise<Row> {
  const first = await startService(dataDir, options)
  await countFromNextStart(first)
  await first.stop()
  return withPair(contest, dataDir, options, async (service, floor, shot) => {
    const count = async ({ host, port }: { host: string; port: number }) => {
      const order = { host, port, shot, connections, ms: 60_000, requestsMax: countedRequests }
      let requests = 0
      const statements = await countStatements(service, async () => {
        const result = await bed.load.run(order)
        if (result.failures > 0) throw new Error(`requests failed while they were counted: ${result.firstFailure}`)
        requests = result.requests
      })
      return (callsOf(statements) / requests).toFixed(2)
    }
    return {
      what: '  SQL statements a request, background included (pg_stat_statements)',
      ours: await count(service),
      floor: await count(floor),
    }
  })
}

export async function query<R extends object>(service: Service, text: string): Promise<R[]> {
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    return (await client.query<R>(text)).rows
  } finally {
    await client.end()
  }
}
