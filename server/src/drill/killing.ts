// Ends workers without a word, one after another, and watches what becomes of their runs.
import { hostname } from 'node:os'
import type { Sql } from '../base/db.ts'
import type { CallCounter } from './callCounter.ts'
import type { Program } from './children.ts'
import { percentile } from './percentile.ts'
import { processIdOf } from './processId.ts'
import { until } from './until.ts'

/** Where workers are killed: only those in the list. */
export interface KillingGround {
  workers: Program[]
  startWorker: () => Promise<Program>
  counter: Pick<CallCounter, 'count'>
  sql: Sql
}

interface HeldRun {
  id: string
  epoch: number
  /** Calls between intent and result. */
  calls: string[]
}

/** Each that is killed has another one started in its place. */
export class Killing {
  kills = 0
  killsBetween = 0
  cutOff = 0
  cutOffAfterArrival = 0
  private readonly tookMs: number[] = []
  private readonly watches: Promise<void>[] = []
  private readonly starts: Promise<void>[] = []
  private readonly ground: KillingGround

  constructor(ground: KillingGround) {
    this.ground = ground
  }

  /** At least one is left to take over; the next one starts meanwhile. `atCall`: one that is between an intent and its result. */
  async killOne({ atCall = false } = {}): Promise<void> {
    const { workers, sql, counter } = this.ground
    await until(
      'two workers live',
      async () => workers.length,
      (count) => count > 1,
    )
    const victim = atCall ? await this.atCall() : await this.choose()
    workers.splice(workers.indexOf(victim), 1)
    const start = this.ground.startWorker().then((worker) => void workers.push(worker))
    // told by ended(), which waits for it
    start.catch(() => undefined)
    this.starts.push(start)
    const workerId = await processIdOf(this.ground, victim)
    victim.child.kill('SIGKILL')
    const killedAt = performance.now()
    const held = await sql<HeldRun>`
      select r.id, r.epoch, array(
        select r.id || ':' || s.seq from run_steps s where s.run_id = r.id and s.state = 'intent') as calls
      from runs r where r.worker = ${workerId}`
    const calls = held.flatMap((run) => run.calls)
    this.kills += 1
    if (calls.length > 0) this.killsBetween += 1
    this.cutOff += calls.length
    for (const id of calls) if ((await counter.count(id)) > 0) this.cutOffAfterArrival += 1
    if (held.length === 0) return
    const watch = this.watch(held, killedAt)
    watch.catch(() => undefined)
    this.watches.push(watch)
  }

  /** Any worker; three times of four one that has a run, since runs gather on few when there are few. */
  private async choose(): Promise<Program> {
    const { workers, sql } = this.ground
    const random = workers[Math.floor(Math.random() * workers.length)]!
    if (Math.random() < 0.25) return random
    const [busy] = await sql<{ pid: number }>`
      select p.pid from processes p join runs r on r.worker = p.id
      where p.pid = any(${workers.map(({ pid }) => pid)}::int[]) and p.host = ${hostname()} order by random() limit 1`
    return workers.find(({ pid }) => pid === busy?.pid) ?? random
  }

  private atCall(): Promise<Program> {
    const { workers, sql } = this.ground
    const look = async () => {
      const busy = await sql<{ pid: number }>`
        select p.pid from runs r join processes p on p.id = r.worker
        where exists (select from run_steps s where s.run_id = r.id and s.state = 'intent')`
      return workers.find(({ pid }) => busy.some((one) => one.pid === pid))
    }
    return until('a worker is at a call', look, (worker) => worker !== undefined, { everyMs: 20 }) as Promise<Program>
  }

  /**
   * A revival raises the epoch by one, the next claim by another one. What the dead had sent may still have been committed: a run that it
   * let go of by that is nobody's to take over, nor is one that was stopped.
   */
  private async watch(held: HeldRun[], killedAt: number): Promise<void> {
    const left = new Map(held.map(({ id, epoch }) => [id, epoch]))
    await until(
      'the runs of a killed worker are taken over',
      async () => {
        const now = await this.ground.sql<{ id: string; epoch: number; is_held: boolean; is_over: boolean }>`
          select id, epoch, worker is not null as is_held, completed_at is not null as is_over from runs where id = any(${[...left.keys()]}::uuid[])`
        const seenAfterMs = performance.now() - killedAt
        for (const { id, epoch, is_held, is_over } of now) {
          const wasTakenOver = epoch >= left.get(id)! + 2
          const wasLetGo = is_over || (epoch === left.get(id) && !is_held)
          if (wasTakenOver) this.tookMs.push(seenAfterMs)
          if (wasTakenOver || wasLetGo) left.delete(id)
        }
        return [...left.keys()]
      },
      (ids) => ids.length === 0,
    )
  }

  /** Everything of the dead is taken over, and everyone started in their place is there. */
  ended(): Promise<unknown> {
    return Promise.all([...this.watches, ...this.starts])
  }

  takeoverTimes() {
    return {
      takeovers: this.tookMs.length,
      takeoverP50Ms: Math.round(percentile(this.tookMs, 50)),
      takeoverP99Ms: Math.round(percentile(this.tookMs, 99)),
      takeoverMaxMs: Math.round(Math.max(0, ...this.tookMs)),
    }
  }
}
