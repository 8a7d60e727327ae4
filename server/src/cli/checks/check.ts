// What a check of `runyard doctor` is: it inspects one part of the set-up and says one sentence about it.
import type { Config } from '../../base/config.ts'
import type { Joined } from '../joinDatabase.ts'

export interface Finding {
  state: 'ok' | 'warning' | 'problem'
  /** What was seen; for a warning or a problem also what to do. */
  says: string
}

export interface Scene {
  config: Config
  env: NodeJS.ProcessEnv
  /** Undefined: see `databaseFailure`, or there is none before the first start. */
  database: Joined | undefined
  databaseFailure: string | undefined
}

export interface Check {
  name: string
  run(scene: Scene): Promise<Finding>
}

/** A check that has nothing to say without the database. */
export interface DatabaseCheck {
  name: string
  runOn(database: Joined, scene: Scene): Promise<Finding>
}

export const ok = (says: string): Finding => ({ state: 'ok', says })
export const warning = (says: string): Finding => ({ state: 'warning', says })
export const problem = (says: string): Finding => ({ state: 'problem', says })
