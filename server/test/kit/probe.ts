// A feature for tests of the kit itself: records below records, and operations that misbehave on command.
import type { Sql } from '../../src/base/db.ts'
import { newId } from '../../src/base/ids.ts'
import { feature } from '../../src/kit/feature.ts'
import { job } from '../../src/kit/job.ts'
import { operation } from '../../src/kit/operation.ts'
import { resource } from '../../src/kit/resources.ts'
import { Type } from '../../src/kit/schema.ts'

export interface Probe {
  id: string
  team_id: string
  note: string
}

export interface ProbePart {
  id: string
  team_id: string
  probe_id: string
}

declare module '../../src/kit/resources.ts' {
  interface Resources {
    probe: Probe
    part: ProbePart
  }
}

export async function createProbeTables(sql: Sql): Promise<void> {
  await sql`create table probes (id uuid primary key, team_id uuid not null, note text not null)`
  await sql`create table probe_parts (id uuid primary key, team_id uuid not null, probe_id uuid not null)`
}

const probe = resource(
  'probe',
  (sql, id, teamId) => sql<Probe>`select id, team_id, note from probes where id = ${id} and team_id = ${teamId}`,
)
const part = resource(
  'part',
  (sql, id, teamId) =>
    sql<ProbePart>`select id, team_id, probe_id from probe_parts where id = ${id} and team_id = ${teamId}`,
)

const Answer = Type.Object({ probe_id: Type.String(), note: Type.String() })

/** What the test wants to happen inside: set by the test, called by the handlers. */
export const inside: {
  handler: (sql: Sql) => Promise<void>
  prepare: (act: <T>(change: (sql: Sql) => Promise<T>) => Promise<T>) => Promise<void>
} = { handler: async () => undefined, prepare: async () => undefined }

export const jobRuns: string[] = []

export const noteProbe = job({
  name: 'noteProbe',
  input: Type.Object({ probe_id: Type.String() }),
  safeToRepeat: 'it only remembers that it ran',
  async handler({ input }) {
    jobRuns.push(input.probe_id)
  },
})

const getProbePart = operation({
  id: 'getProbePart',
  route: 'GET /v2/probes/:probe_id/parts/:part_id',
  summary: 'Read a part of a probe',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ part: Type.Unknown(), probe: Type.Unknown() }),
  handler: async ({ probe: parent, part: child }) => ({ part: child, probe: parent }),
})

const createProbe = operation({
  id: 'createProbe',
  route: 'POST /v2/probes',
  summary: 'Write a probe, with an event and a job',
  scope: 'team:read',
  body: Type.Object({ note: Type.String({ minLength: 1 }) }),
  status: 201,
  answer: Answer,
  errors: ['conflict'],
  emits: ['connection.updated'],
  async handler({ team, body, sql, emit, enqueue, fail }) {
    const id = newId()
    await sql`insert into probes (id, team_id, note) values (${id}, ${team.id}, ${body.note})`
    await emit('connection.updated', { connection_id: id, provider: 'probe', status: 'active', change: 'created' })
    await enqueue(noteProbe, { probe_id: id })
    await inside.handler(sql)
    if (body.note === 'conflict') fail('conflict', 'This note always conflicts.')
    if (body.note === 'bug') throw new Error('select secret from table of a bug')
    return { probe_id: id, note: body.note }
  },
})

const touchProbe = operation({
  id: 'touchProbe',
  route: 'PATCH /v2/probes/:probe_id',
  summary: 'Run what the test put inside, on one probe',
  scope: 'team:read',
  status: 200,
  answer: Answer,
  async handler({ probe: found, sql }) {
    await inside.handler(sql)
    return { probe_id: found.id, note: found.note }
  },
})

const callOutside = operation({
  id: 'callOutside',
  route: 'POST /v2/probes/outside',
  summary: 'Act outside before the transaction',
  scope: 'team:read',
  status: 200,
  answer: Type.Object({ done: Type.Literal(true) }),
  errors: ['conflict'],
  actsOutside: true,
  prepare: ({ act }) => inside.prepare(act),
  handler: async () => ({ done: true as const }),
})

export const probes = feature({
  name: 'probes',
  operations: [getProbePart, createProbe, touchProbe, callOutside],
  resources: [probe, part],
  jobs: [noteProbe],
})
