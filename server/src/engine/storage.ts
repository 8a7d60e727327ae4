// What a team stores in all, and the question whether more fits.
import { part, type Sql } from '../base/db.ts'
import { countsOf } from '../base/pieces.ts'
import type { Context } from '../kit/context.ts'
import { engineOf } from './engine.ts'

/** These pieces are folded together with the usage. */
export const storedPieces = countsOf(part`stored_bytes`, part`team_id`, part`bytes`)

/** Why this many more bytes do not fit, or undefined. If the team has its own limit, the writer locks it until its commit. */
export const storageProblem = (
  context: Context,
  sql: Sql,
  teamId: string,
  bytes: number,
): Promise<string | undefined> => engineOf(context).storage.problem(sql, teamId, bytes)
