// What the team of a builder run has that a draft may use: for its model, and for a person who is asked to pick one.
import type { Sql } from '../../../base/db.ts'
import { oneLine } from '../../../base/oneLine.ts'
import { withoutSecretLike } from '../../../base/secretLike.ts'
import type { Context } from '../../../kit/context.ts'
import type { Offer, Offered, OfferedKind } from '../../../kit/offers.ts'
import { offersOf } from '../../../kit/registry.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'

interface Asked {
  context: Context
  sql: Sql
}

interface Listed {
  records: { name: string; says: string }[]
  /** The team has more than are listed. */
  has_more: boolean
}

const recordsMax = 100
const nameMax = 200
const saysMax = 300
/** How much text of one kind a model is told: a team with long descriptions leaves room for the others. */
const charactersMax = 8000

const reading = ({ team_id, created_by }: HeldBuilderRun, { sql }: Asked) => ({
  sql,
  teamId: team_id,
  memberId: created_by,
})

const offerOf = (context: Context, kind: OfferedKind): Offer | undefined =>
  offersOf(context).find((one) => one.kind === kind)

/** Names and what they are for, as data: cut to a line each, and without what looks like a value that nobody may see. */
export async function listOffered(held: HeldBuilderRun, kind: OfferedKind, asked: Asked): Promise<Listed> {
  const offer = offerOf(asked.context, kind)
  const found = (await offer?.read({ ...reading(held, asked), wanted: null, limit: recordsMax + 1 })) ?? []
  const records: Listed['records'] = []
  let characters = 0
  for (const { name, says } of found.slice(0, recordsMax)) {
    // a name that does not fit could not be used by it
    if (name.length > nameMax) continue
    const record = { name, says: withoutSecretLike(oneLine(says, saysMax)) }
    characters += record.name.length + record.says.length
    if (characters > charactersMax) break
    records.push(record)
  }
  return { records, has_more: records.length < found.length }
}

/** A name that stands for no record, or for several. */
export interface Missing {
  kind: OfferedKind
  noun: string
  where: string
  name: string
  /** The records that have it: empty if there is none. */
  among: Offered[]
}

/** The records with these names or ids, and the names that do not stand for exactly one. */
export async function findOffered(
  held: HeldBuilderRun,
  kind: OfferedKind,
  names: string[],
  asked: Asked,
): Promise<{ found: Map<string, Offered>; missing: Missing[] }> {
  const found = new Map<string, Offered>()
  const offer = offerOf(asked.context, kind)
  if (names.length === 0 || !offer) return { found, missing: [] }
  const wanted = [...new Set(names)]
  const plain = wanted.map((name) => plainName(kind, name))
  const records = await offer.read({ ...reading(held, asked), wanted: plain, limit: 2 * wanted.length + 100 })
  const missing: Missing[] = []
  for (const [index, name] of wanted.entries()) {
    const among = records.filter(({ id, name: called }) => called === plain[index] || id === plain[index])
    if (among.length === 1) found.set(name, among[0]!)
    else missing.push({ kind, noun: offer.noun, where: offer.where, name, among })
  }
  return { found, missing }
}

/** A skill may be named with a version after an @. */
const plainName = (kind: OfferedKind, name: string): string =>
  kind === 'skills' ? name.replace(/@\d{1,9}$/, '') : name
