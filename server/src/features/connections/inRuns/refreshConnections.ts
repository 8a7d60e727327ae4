// What every working process does for connections: renews tokens ahead of their end and at least daily, and asks daily for lists of tools.
import { part } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import type { Work } from '../../../kit/feature.ts'
import { lookFor } from '../../../kit/sharedLook.ts'
import { isToRenew, renewTaken, takeDue } from '../credential/refresh.ts'
import { listTools } from '../mcpTools/toolList.ts'

/** How many are under way at once, in total and per provider: a provider that does not answer delays no other. */
const renewalsMax = 20
const renewalsOfOne = 5
const listsMax = 4

const isToList = part`list_tools_at <= now() and type in ('mcp', 'custom_mcp') and status = 'active'
  and (listing_until is null or listing_until <= now())`
const asked = {
  renewals: part`exists (select from connections where ${isToRenew})`,
  lists: part`exists (select from connections where ${isToList})`,
}

/** A poll begins what is due and waits for none of it; `stop` waits for all. */
export function refreshConnections(context: Context): Work {
  const renewals = new Map<Promise<void>, string>()
  const lists = new Map<Promise<void>, string>()
  let isStopping = false

  function begin(work: Promise<unknown>, provider: string, among: Map<Promise<void>, string>): void {
    const ended: Promise<void> = work
      .catch((error: unknown) => context.log.warn({ err: error }, 'could not refresh a connection; will retry'))
      .then(() => void among.delete(ended))
    among.set(ended, provider)
  }

  async function renewDue(): Promise<void> {
    for (;;) {
      if (isStopping || renewals.size >= renewalsMax) return
      const due = await takeDue(context, { max: renewalsOfOne, notOf: crowded([...renewals.values()]) })
      if (due.length === 0) return
      for (const taken of due) begin(renewTaken(context, taken), taken.provider, renewals)
    }
  }

  async function listDue(): Promise<void> {
    if (isStopping || lists.size >= listsMax) return
    for (const one of await takeUnlisted(context)) begin(list(context, one), one.id, lists)
  }

  return {
    async poll() {
      const due = await lookFor(context, asked)
      if (due.renewals) await renewDue()
      if (due.lists) await listDue()
    },
    async stop() {
      isStopping = true
      await Promise.all([...renewals.keys(), ...lists.keys()])
    },
  }
}

const crowded = (providers: string[]): string[] =>
  [...Map.groupBy(providers, (one) => one)].flatMap(([one, all]) => (all.length >= renewalsOfOne ? [one] : []))

interface Unlisted {
  id: string
  team_id: string
}

/** One that fails, or whose process dies, is asked again after an hour. */
export const takeUnlisted = ({ db }: Context): Promise<Unlisted[]> => db.sql<Unlisted>`
  update connections set list_tools_at = now() + interval '1 hour'
  where id = any(array(
    select id from connections where ${isToList}
    order by list_tools_at limit ${listsMax} for update skip locked))
  returning id, team_id`

async function list(context: Context, connection: Unlisted): Promise<void> {
  const listing = await listTools(context, connection)
  if ('error' in listing) {
    context.log.info({ connection_id: connection.id, reason: listing.error }, 'a connection did not list its tools')
  }
}
