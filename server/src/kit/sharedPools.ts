// The pools that teams share in this process, each known by its name, so that an operator sees how full they are.
import { createFairPool, type FairPool } from '../base/fairPool.ts'
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

export const sharedPoolsOf = runningPart('shared pools', () => new Set<FairPool>())

export function createSharedPool(context: Context, options: Parameters<typeof createFairPool>[0]): FairPool {
  const pool = createFairPool(options)
  sharedPoolsOf(context).add(pool)
  return pool
}
