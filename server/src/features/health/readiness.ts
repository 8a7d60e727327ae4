// GET /readyz: whether this process may get requests, for whoever balances them, and where it and the database are.
// `?zone=b` asks for a process of that zone, `?near=database` for one in the zone of the database.
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../kit/context.ts'
import { seenDatabase } from '../../kit/processReport.ts'

type Asked = Record<string, string | string[] | undefined>

export function mountReadiness(app: FastifyInstance, context: Context): void {
  app.get<{ Querystring: Asked }>('/readyz', async ({ query }, reply) => {
    const facts = { zone: context.config.zone ?? null, database: seenDatabase(context) }
    const problems = problemsOf(context, query)
    if (problems.length === 0) return { status: 'ready', ...facts }
    return reply.code(503).send({ status: 'not ready', problems, ...facts })
  })
}

/**
 * A process is ready or not for everybody, and then for whoever wants more than that. What only somebody wants never makes it unready for the
 * others: otherwise a database that changes its zone would take all processes of the old zone out of service at once.
 */
function problemsOf({ config, db, lifecycle }: Context, query: Asked): string[] {
  const zones = valuesOf(query['zone'])
  return [
    ...(lifecycle.draining ? ['the process is stopping'] : []),
    ...db.watch.problems(),
    ...(zones.length > 0 && !zones.includes(config.zone ?? '') ? [`the process is in ${nameOf(config.zone)}`] : []),
    ...(valuesOf(query['near']).includes('database') ? farProblems(config.zone, db.watch.server().zone) : []),
  ]
}

const farProblems = (own: string | undefined, zone: string | null): string[] =>
  own !== undefined && own === zone ? [] : [`the process is in ${nameOf(own)}, and the database in ${nameOf(zone)}`]

const nameOf = (zone: string | null | undefined): string =>
  zone === undefined || zone === null ? 'no zone that is known' : `zone ${zone}`

/** An empty value counts as absent, as in settings. */
const valuesOf = (asked: string | string[] | undefined): string[] =>
  [asked ?? []].flat().filter((value) => value !== '')
