// One poll: calls the tool, and stores what is new by its key, in the transaction that moves the trigger on.
import { hash } from 'node:crypto'
import type { Sql } from '../../base/db.ts'
import { evaluate } from '../../base/expression/evaluate.ts'
import { parseExpression } from '../../base/expression/expression.ts'
import { stepsOfTurn } from '../../base/expression/text.ts'
import { newId } from '../../base/ids.ts'
import { parseBounded } from '../../base/boundedJson.ts'
import { isRecord } from '../../base/isRecord.ts'
import { StepBudget } from '../../base/stepBudget.ts'
import { storableJson } from '../../base/storable.ts'
import { storageProblem } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { connectionUseOf } from '../../kit/registry.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import { keyExpression, keyOf, orProblem, rootsOf, scopeOf } from './judge.ts'
import { pollResultRoots } from './wanted.ts'

export const callMs = 60_000
/** How many items of one answer are looked at, and how large one may be. */
const itemsMax = 1000
const itemBytesMax = 256 * 1024
/** After failures the next call comes later, at most this many times as late. */
const patienceMax = 16
const problemShown = 1000

export interface DuePoll {
  id: string
  team_id: string
  changed_by: string
  connection_id: string
  tool: string
  arguments: Record<string, unknown>
  items: string | null
  every_minutes: number
  start_existing: boolean
  dedupe_key: string | null
  failures: number
  poll_claim: string
  last_polled_at: Date | null
}

interface Item {
  /** The hash of its key, in hex. */
  key: string
  shownKey: string
  content: string
}

export async function pollOne(context: Context, due: DuePoll, signal: AbortSignal): Promise<void> {
  const called = await call(context, due, signal)
  const time = teamTimeOf(context)
  await time.turn(due.team_id)
  if (signal.aborted) return
  const found = 'problem' in called ? called : time.piece(due.team_id, () => itemsOf(due, called.result))
  const problem = 'problem' in found ? found.problem : await storeAll(context, due, found)
  if (problem !== undefined) await fail(context.db.sql, due, problem)
}

/** Undoes the transaction; the message says why. */
class CannotStore extends Error {}

/** Why nothing of it was stored, or undefined. */
async function storeAll(context: Context, due: DuePoll, found: Found): Promise<string | undefined> {
  try {
    await context.db.transaction((sql) => store(context, sql, due, found))
    return undefined
  } catch (error) {
    if (error instanceof CannotStore) return error.message
    throw error
  }
}

async function call(context: Context, due: DuePoll, signal: AbortSignal) {
  const use = connectionUseOf(context)
  if (!use) return { problem: 'This server has no connections.' }
  return use.callTool({
    context,
    teamId: due.team_id,
    memberId: due.changed_by,
    connectionId: due.connection_id,
    tool: due.tool,
    input: due.arguments,
    signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
  })
}

interface Found {
  items: Item[]
  /** What could not be used of the answer. */
  note: string | null
}

/** One piece of work, so all expressions together have the budget of one turn: an item that they do not reach is left out, and the note says why. */
export function itemsOf(due: Pick<DuePoll, 'items' | 'dedupe_key'>, answer: unknown): Found | { problem: string } {
  const budget = new StepBudget(stepsOfTurn)
  const read = orProblem(() => listOf(due.items, resultOf(answer), budget))
  if ('problem' in read) return read
  const { list } = read
  const key = parseExpression(keyExpression({ kind: 'poll', verifier: null, dedupe_key: due.dedupe_key }), rootsOf.poll)
  const items = new Map<string, Item>()
  const notes = new Set<string>()
  if (list.length > itemsMax) notes.add(`The answer has more than ${itemsMax} items; the others were left out.`)
  for (const item of list.slice(0, itemsMax)) {
    const content = storableJson({ item })
    const keyed = orProblem(() => ({ key: keyOf(key, scopeOf({ item }, budget)) }))
    if ('problem' in keyed) notes.add(keyed.problem)
    else if (keyed.key === null)
      notes.add('Some items have no key, so nobody can tell whether they are new. Set dedupe_key.')
    else if (Buffer.byteLength(content) > itemBytesMax)
      notes.add('Some items are larger than 256 KiB; they were left out.')
    else {
      const hashed = hash('sha256', keyed.key, 'hex')
      if (!items.has(hashed)) items.set(hashed, { key: hashed, shownKey: keyed.key, content })
    }
  }
  return { items: [...items.values()], note: notes.size === 0 ? null : [...notes].join(' ') }
}

/** What a tool gives as data, or as JSON text. */
function resultOf(answer: unknown): unknown {
  if (!isRecord(answer)) return answer
  const { data, text } = answer
  if (data !== undefined) return data
  if (typeof text !== 'string') return answer
  try {
    return parseBounded(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function listOf(items: string | null, result: unknown, budget: StepBudget): { list: unknown[] } | { problem: string } {
  const value =
    items === null ? onlyList(result) : evaluate(parseExpression(items, pollResultRoots), scopeOf({ result }, budget))
  if (Array.isArray(value)) return { list: value }
  const which =
    items === null
      ? 'The answer of the tool is not a list and has not exactly one. Set poll.items.'
      : 'poll.items gives no list.'
  return { problem: which }
}

function onlyList(result: unknown): unknown {
  if (!isRecord(result)) return result
  const lists = Object.values(result).filter((value) => Array.isArray(value))
  return lists.length === 1 ? lists[0] : null
}

/** The items in the order in which they were listed; of the first call only their keys, unless it is to start runs too. */
async function store(context: Context, sql: Sql, due: DuePoll, { items, note }: Found): Promise<void> {
  const moved = await sql`
    update triggers set next_poll_at = now() + make_interval(mins => every_minutes), poll_worker = null, poll_claim = null, poll_until = null,
      last_polled_at = now(), failures = 0, last_problem = ${note?.slice(0, problemShown) ?? null}
    where id = ${due.id} and team_id = ${due.team_id} and poll_claim = ${due.poll_claim} and enabled returning id`
  // somebody changed the trigger, or another process holds the claim by now: it polls again
  if (moved.length === 0 || items.length === 0) return
  const taken = await sql<{ key: string; is_new: boolean }>`
    insert into trigger_keys as k (trigger_id, key, team_id)
    select ${due.id}, decode(key, 'hex'), ${due.team_id} from unnest(${items.map(({ key }) => key)}::text[]) key order by key
    on conflict (trigger_id, key) do update set seen_at = now() where k.seen_at < now() - interval '1 day'
    returning encode(key, 'hex') as key, xmax = 0 as is_new`
  if (due.last_polled_at === null && !due.start_existing) return
  const fresh = new Set(taken.filter(({ is_new }) => is_new).map(({ key }) => key))
  const rows = items
    .filter(({ key }) => fresh.has(key))
    .map(({ shownKey, content }) => ({
      id: newId(),
      key: shownKey.slice(0, 200).replaceAll('\0', '').toWellFormed(),
      content,
    }))
  if (rows.length === 0) return
  const bytes = rows.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0)
  const problem = await storageProblem(context, sql, due.team_id, bytes)
  if (problem !== undefined) throw new CannotStore(problem)
  await sql`
    insert into trigger_deliveries (id, team_id, trigger_id, content, size_bytes, key, has_key)
    select r.id, ${due.team_id}, ${due.id}, r.content::json, octet_length(r.content), r.key, true
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, key text, content text)`
}

async function fail(sql: Sql, due: DuePoll, problem: string): Promise<void> {
  const times = Math.min(2 ** due.failures, patienceMax)
  await sql`
    update triggers set next_poll_at = now() + make_interval(mins => least(every_minutes * ${times}::int, 1440)), poll_worker = null, poll_claim = null, poll_until = null,
      failures = failures + 1, last_problem = ${problem.slice(0, problemShown).replaceAll('\0', '').toWellFormed()}
    where id = ${due.id} and team_id = ${due.team_id} and poll_claim = ${due.poll_claim} and enabled`
}
