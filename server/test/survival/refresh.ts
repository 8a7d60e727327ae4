// Proof: many processes that need one expired token renew it once, and no call goes without.
import { startOauthServer, type OauthServer } from '../fakes/oauthServer.ts'
import { connectGithub, githubSettings } from './githubAccount.ts'
import { freePort } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface Refreshed {
  processes: number
  rounds: number
  runs: number
  /** Must be one a round. */
  refreshes: number
  /** Must be all of them, each with a token that the server took. */
  completed: number
  /** The generation of the secret at the end: one more with every refresh. */
  generation: number
  /** Why the others were not completed. */
  others?: string[]
}

export async function raceForTokens(
  yard: Yard,
  oauth: OauthServer,
  { rounds, runs }: { rounds: number; runs: number },
): Promise<Refreshed> {
  const id = await connectGithub(yard, oauth)
  const before = oauth.served.refreshes
  const procedure = block('http connection=github', `GET ${oauth.endpoints.account}`)
  const agentId = await yard.newAgent(procedure, { connections: [id] })
  for (let round = 0; round < rounds; round++) {
    await yard.sql`
      update connections set expires_at = now() - interval '1 second', refresh_at = now() - interval '1 second' where id = ${id}`
    await Promise.all(Array.from({ length: runs }, () => yard.startRun(agentId)))
    await untilQuiet(yard)
    const renewed = async () => oauth.served.refreshes - before
    await until('the token is renewed', renewed, (count) => count > round)
  }
  const [ended] = await yard.sql<{ completed: number; generation: number }>`
    select (select count(*)::int from runs where agent_id = ${agentId} and status = 'completed') as completed, generation
    from connections where id = ${id}`
  const others = await yard.sql<{ why: string }>`
    select status || ' ' || coalesce(error::text, waiting_on::text, '') || ' deaths ' || deaths || ' due ' || coalesce(due_at::text, '-') as why
    from runs where agent_id = ${agentId} and status <> 'completed'`
  return {
    processes: yard.workers.length,
    rounds,
    runs: rounds * runs,
    refreshes: oauth.served.refreshes - before,
    ...ended!,
    ...(others.length > 0 && { others: others.map(({ why }) => why) }),
  }
}

export const isRenewedOnce = ({ rounds, runs, refreshes, completed, generation }: Refreshed): boolean =>
  refreshes === rounds && completed === runs && generation === rounds + 1

export const refreshProof: Proof = {
  name: '8 processes race for one expired token, 20 rounds of 80 runs',
  must: '20 refreshes at the server, every run completed with a good token',
  async run(dataDir) {
    const port = String(await freePort())
    const oauth = await startOauthServer({ redirectUris: [`http://127.0.0.1:${port}/oauth/callback`] })
    const env = { LOG_LEVEL: 'error', PORT: port, ...githubSettings(oauth, new URL(oauth.issuer).host) }
    const yard = await openYard({ options: { dataDir, env }, workers: 8 })
    try {
      const counts = await raceForTokens(yard, oauth, { rounds: 20, runs: 80 })
      return { counts, holds: isRenewedOnce(counts) }
    } finally {
      await yard.close()
      await oauth.close()
    }
  },
}
