// One install or build at a time in a checkout; a lock whose holder is gone does not last.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const beatMs = 1_000
/** Pids are soon used again, above all in a restarted container: a holder must also show that it lives. */
const silentMsMax = 15_000
/** An npm whose parent was killed goes on by itself; it is waited for, but not for ever. */
const orphanMsMax = 600_000

/** Runs `work(noteChild)` while holding the lock; a noted child gets our signals, and the lock lasts while it lives. `what` names the work for those who wait. */
export async function withInstallLock(lock, work, what = 'installation') {
  await acquire(lock, what)
  let child
  const beat = setInterval(() => touch(lock), beatMs)
  // The lock stays: whoever comes next waits until npm has really ended, and then takes it away.
  const stop = (signal) => {
    child?.kill(signal)
    process.exit(128 + constants.signals[signal])
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, stop)
  try {
    await work((started) => {
      child = started
      writeFileSync(join(lock, 'owner.json'), JSON.stringify({ pid: process.pid, child: started.pid }))
    })
  } finally {
    clearInterval(beat)
    for (const signal of signals) process.off(signal, stop)
    rmSync(lock, { recursive: true, force: true })
  }
}

/** A folder with its owner inside, put in place by rename: there is no moment in which it exists without an owner. */
async function acquire(lock, what) {
  const mine = `${lock}.${process.pid}`
  let told = false
  for (;;) {
    rmSync(mine, { recursive: true, force: true })
    mkdirSync(mine)
    writeFileSync(join(mine, 'owner.json'), JSON.stringify({ pid: process.pid }))
    try {
      renameSync(mine, lock)
      return
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(error.code)) throw error
      rmSync(mine, { recursive: true, force: true })
      if (error.code === 'EACCES' && !look(lock)) throw error // not taken: we may not write here
    }
    const holder = look(lock)
    if (holder && isAbandoned(holder)) {
      discard(lock, holder)
      continue
    }
    if (holder && !told) {
      console.error(`Waiting for another ${what} (process ${holder.pid})…`)
      told = true
    }
    await sleep(200)
  }
}

function look(lock) {
  try {
    const { pid, child } = JSON.parse(readFileSync(join(lock, 'owner.json'), 'utf8'))
    return { pid, child, silentMs: Date.now() - statSync(lock).mtimeMs }
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined // released, or being written
    throw error
  }
}

function isAbandoned({ pid, child, silentMs }) {
  const ownerGone = pid === process.pid || !isAlive(pid) || silentMs > silentMsMax
  const childGone = child === undefined || !isAlive(child) || silentMs > orphanMsMax
  return ownerGone && childGone
}

/** Renamed first, so that of two who find it abandoned one takes it; a fresh lock caught by mistake is put back. */
function discard(lock, holder) {
  const aside = `${lock}.old.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  if (look(aside)?.pid === holder.pid) rmSync(aside, { recursive: true, force: true })
  else renameSync(aside, lock)
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    // A zombie has a pid too, and where nobody reaps (many containers) it keeps it. Its command line is empty.
    return !existsSync('/proc/self/cmdline') || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function touch(lock) {
  const now = new Date()
  utimesSync(lock, now, now)
}
