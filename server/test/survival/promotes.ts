// Proof: however many promote an agent's builds at once, one build is live at every moment, and the events tell the whole history.
import type { Proof } from './proof.ts'
import { bodyOf, openYard, type Yard } from './yard.ts'

export interface Promotions {
  builds: number
  asked: number
  acknowledged: number
  /** With 409: the build was live already, or the record was busy for too long. */
  refused: number
  /** Must be 0: answered otherwise. */
  otherwise: number
  /** Looks at the database meanwhile, and those that saw none or several live builds: must be 0. */
  looks: number
  notOneLive: number
  /** Must be 0: acknowledged without an event, and events that do not begin where the one before ended. */
  withoutEvent: number
  brokenChain: number
}

export async function promoteAtOnce(
  { sql, call, newAgent }: Yard,
  options: { builds: number; promotions: number },
): Promise<Promotions> {
  const agentId = await newAgent('# Goal\nBe live.\n')
  for (let made = 1; made < options.builds; made++) {
    bodyOf(await call({ method: 'POST', path: `/v2/agents/${agentId}/revisions`, body: {} }))
  }
  const builds = await sql<{ id: string; status: string }>`
    select id, status from builds where agent_id = ${agentId} order by id`
  const first = builds.find(({ status }) => status === 'live')!.id
  const [before] = await sql<{
    events: string
  }>`select count(*) as events from events where event = 'assignment.build.published'`

  const done = new AbortController()
  const seen = { looks: 0, notOneLive: 0 }
  const looking = (async () => {
    while (!done.signal.aborted) {
      const [row] = await sql<{ live: number }>`
        select count(*)::int as live from builds where agent_id = ${agentId} and status = 'live'`
      seen.looks += 1
      if (row!.live !== 1) seen.notOneLive += 1
    }
  })()
  const asked = Array.from({ length: options.promotions }, (_, at) => builds[at % builds.length]!.id)
  const answers = await Promise.all(asked.map((id) => call({ method: 'POST', path: `/v2/revisions/${id}/promote` })))
  done.abort()
  await looking

  // written while the agent's row is held, so the order of their ids is the order of the promotions
  const events = await sql<{ build_id: string; previous: string }>`
    select data ->> 'build_id' as build_id, data ->> 'previous_build_id' as previous
    from events where event = 'assignment.build.published' order by id offset ${before!.events}`
  const acknowledged = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ status }) => status === 409).length
  return {
    builds: builds.length,
    asked: asked.length,
    acknowledged,
    refused,
    otherwise: answers.length - acknowledged - refused,
    ...seen,
    withoutEvent: acknowledged - events.length,
    brokenChain: events.filter(({ previous }, at) => previous !== (events[at - 1]?.build_id ?? first)).length,
  }
}

export const promoteProof: Proof = {
  name: '1,000 promotions at once over 50 builds of one agent, 2 API processes',
  must: 'one live build at every look, an event for each acknowledged promotion, no break in their chain',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, apis: 2, workers: 0 })
    try {
      const counts = await promoteAtOnce(yard, { builds: 50, promotions: 1000 })
      const holds =
        counts.builds === 50 &&
        counts.acknowledged >= 50 &&
        counts.looks > 0 &&
        counts.otherwise + counts.notOneLive + counts.withoutEvent + counts.brokenChain === 0
      return { counts, holds }
    } finally {
      await yard.close()
    }
  },
}
