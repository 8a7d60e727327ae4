// What a limit means for those who reach it, and how its amounts are written.
import type { Entitlement } from '@runyard/sdk'
import { bytes, count, money } from '../../parts/amounts.ts'

/** What happens at 100 %. */
const consequences: Record<Entitlement['key'], string> = {
  max_concurrent_runs: 'More runs wait as pending until one of these ends or waits.',
  monthly_runs: 'No run starts until the month (UTC) ends: requests are refused, schedules skip, cases stay pending.',
  monthly_cost_usd: 'No run starts until the month (UTC) ends. Runs under way continue, and may exceed it.',
  storage_bytes: 'Nothing more is written or uploaded until something is deleted.',
  agents: 'No agent is made until one is deleted.',
}

export const amountOf = ({ unit }: Pick<Entitlement, 'unit'>, value: number): string =>
  unit === 'usd' ? money(value) : unit === 'bytes' ? bytes(value) : count(value)

export const shareOf = ({ used, limit }: Pick<Entitlement, 'used' | 'limit'>): number | undefined =>
  limit === null || used === null ? undefined : limit === 0 ? 1 : used / limit

/** `At 100 %: …`, or from there on what is so now. */
export function consequenceOf(limit: Entitlement): string {
  const share = shareOf(limit)
  if (share === undefined) return 'No limit is set. The operator of the server can set one.'
  return share >= 1 ? `Reached. ${consequences[limit.key]}` : `At 100 %: ${lowered(consequences[limit.key])}`
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1)
