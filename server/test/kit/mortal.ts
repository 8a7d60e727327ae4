// A process that can die at any statement, inside a test: what it did before is committed or not, and nothing more of it reaches the database.
import type { Sql } from '../../src/base/db.ts'
import type { Context } from '../../src/kit/context.ts'
import { isLongForm } from './longForm.ts'

/** Whether a process dies at this statement, counted over all that do the same work: before it is carried out, or after. */
export type Fate = (statement: number) => 'before' | 'after' | undefined

export class Died extends Error {}

/** A context whose process can die: from then on nothing of it reaches the database, until the next one is born. */
export class Mortal {
  readonly context: Context
  statements = 0
  private isDead = false
  private fate: Fate = () => undefined

  constructor(context: Context) {
    const { db } = context
    const counted = (on: Sql): Sql => {
      return (strings, ...values) => {
        // the short form has no death at reads: it would leave what the write before it left
        const isCounted = isLongForm || !/^\s*select/.test(strings[0]!)
        return this.step(() => on(strings, ...values), isCounted) as never
      }
    }
    const transaction = <T>(work: (on: Sql) => Promise<T>): Promise<T> =>
      // dying after it is dying with the commit done and its answer unheard
      this.step(() => db.transaction((on) => work(counted(on))))
    this.context = { ...context, db: { ...db, sql: counted(db.sql), transaction } }
  }

  begin(fate: Fate): void {
    this.statements = 0
    this.fate = fate
  }

  born(): void {
    this.isDead = false
  }

  die(): void {
    this.isDead = true
  }

  /** Also when whoever worked outlived the error. */
  get hasDied(): boolean {
    return this.isDead
  }

  private async step<T>(work: () => Promise<T>, isCounted = true): Promise<T> {
    if (this.isDead) throw new Died()
    const end = isCounted ? this.fate(++this.statements) : undefined
    if (end) this.isDead = true
    if (end === 'before') throw new Died()
    const result = await work()
    if (this.isDead) throw new Died()
    return result
  }
}
