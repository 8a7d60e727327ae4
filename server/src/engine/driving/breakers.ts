// A breaker for each provider and team, in a row that all processes share: a provider that fails again and again is left alone for a while.
// What fails for one team says nothing about others, even with the same key: some requests make a provider fail, and a team could send them on purpose.
import { BoundedCache } from '../../base/boundedCache.ts'
import { part, type Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'

/** A provider as a team asks it with one key: its own key may be used up while that of the server works. */
export interface Account {
  provider: string
  teamId: string
  /** With the team's own key, not the server's. */
  isOwn: boolean
}

export interface Breakers {
  /**
   * Whether nobody should ask it now. When its time is over, one caller is told that it may be asked: if that works, all others are told so
   * too.
   */
  isOpen(account: Account): Promise<boolean>
  /** An attempt failed. */
  failed(account: Account): Promise<void>
  /** It answered. */
  worked(account: Account): Promise<void>
}

/** How many failed attempts in a row, of whichever runs of the team, open it. */
const failuresMax = 4
/** It stays open this long, the next time in a row twice as long, and so on. */
const openS = 15
const openMaxS = 300
/** How long the one who asks again has before another may. */
const probeS = 60
/** How old what is known of a breaker may be. */
const cachedMs = 500

interface State {
  failures: number
  is_open: boolean
  may_probe: boolean
}

const closed: State = { failures: 0, is_open: false, may_probe: false }

const keyOf = ({ provider, teamId, isOwn }: Account): string => `${provider} ${teamId} ${isOwn}`

const itsRow = ({ provider, teamId, isOwn }: Account) =>
  part`provider = ${provider} and team_id = ${teamId}::uuid and is_own = ${isOwn}`

export function createBreakers(sql: Sql, log: Log): Breakers {
  const cache = new BoundedCache<{ state: Promise<State>; readAt: number }>({ name: 'breakers', entriesMax: 10_000 })

  function stateOf(account: Account): Promise<State> {
    const key = keyOf(account)
    const known = cache.get(key)
    if (known && performance.now() - known.readAt < cachedMs) return known.state
    const state = read(sql, account)
    cache.set(key, { state, readAt: performance.now() })
    state.catch(() => cache.delete(key))
    return state
  }

  /** A breaker only spares time: an answer that was paid for is not lost because its row could not be written. */
  const spared = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
    work.catch((error: unknown) => {
      log.debug({ err: error }, 'the breaker of a provider could not be read or written')
      return otherwise
    })

  async function isOpen(account: Account): Promise<boolean> {
    const { is_open, may_probe } = await stateOf(account)
    return is_open && !(may_probe && (await takeProbe(sql, account)))
  }

  async function reset(account: Account): Promise<void> {
    const { failures, is_open } = await stateOf(account)
    if (failures === 0 && !is_open) return
    cache.delete(keyOf(account))
    await sql`delete from model_breakers where ${itsRow(account)}`
  }

  return {
    isOpen: (account) => spared(isOpen(account), false),
    failed(account) {
      cache.delete(keyOf(account))
      return spared(noteFailure(sql, account), undefined)
    },
    worked: (account) => spared(reset(account), undefined),
  }
}

async function read(sql: Sql, account: Account): Promise<State> {
  const [row] = await sql<State>`
    select failures, open_until is not null as is_open,
      open_until <= now() and (probing_until is null or probing_until <= now()) as may_probe
    from model_breakers where ${itsRow(account)}`
  return row ?? closed
}

/** One guarded statement, so that only one of many callers asks. */
async function takeProbe(sql: Sql, account: Account): Promise<boolean> {
  const taken = await sql`
    update model_breakers set probing_until = now() + ${probeS} * interval '1 second', updated_at = now()
    where ${itsRow(account)}
      and open_until <= now() and (probing_until is null or probing_until <= now())
    returning provider`
  return taken.length > 0
}

/** It has failed often enough, and is closed or was asked again. */
const opensNow = part`(b.failures + 1 >= ${failuresMax} and (b.open_until is null or b.open_until <= now()))`

/** A failure of the one who asked again opens it anew; failures of those who asked before it opened change nothing. */
async function noteFailure(sql: Sql, { provider, teamId, isOwn }: Account): Promise<void> {
  await sql`
    insert into model_breakers as b (provider, team_id, is_own, failures) values (${provider}, ${teamId}::uuid, ${isOwn}, 1)
    on conflict (provider, team_id, is_own) do update set
      failures = b.failures + 1,
      openings = b.openings + ${opensNow}::int,
      open_until = case when ${opensNow} then now() + least(${openMaxS}, ${openS} * power(2, b.openings)) * interval '1 second'
        else b.open_until end,
      probing_until = case when ${opensNow} then null else b.probing_until end,
      updated_at = now()`
}
