// Runs a file under the right Node, in our place: same terminal, same signals, same exit code.
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { nodeBinary, root } from './install.mjs'

/**
 * Resolves to the exit code (128 + number for a signal). Ctrl-C in a terminal reaches the whole process group, the child
 * too: it is not passed on again, or the child would take it for the second, impatient one. SIGTERM is passed on, once.
 *
 * `watched`: the child gets a channel to us. It sees 'disconnect' when we are killed; and an interrupt that was sent to
 * us alone (kill -INT) reaches it as the message 'stop', which changes nothing when the signal came as well.
 */
export function runNode(words, { watched = false } = {}) {
  const child = spawn(nodeBinary(), words, {
    cwd: root,
    stdio: watched ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  })
  const say = () => child.connected && child.send('stop', ignoreClosedChannel)
  const interrupted = (signal) => {
    if (watched) say()
    else if (!process.stdin.isTTY) child.kill(signal)
  }
  let terminated = false
  const terminate = () => {
    if (!terminated) child.kill('SIGTERM')
    terminated = true
  }
  const watch = watched ? whenNpmIsGone(terminate) : undefined
  const duties = { SIGINT: interrupted, SIGHUP: interrupted, SIGTERM: terminate }
  for (const [signal, duty] of Object.entries(duties)) process.on(signal, duty)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      clearInterval(watch)
      for (const [name, duty] of Object.entries(duties)) process.off(name, duty)
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/** The child may close its end while we write; its exit is what counts. */
function ignoreClosedChannel() {}

/** A kill -9 of npm, or a shell between us that does not pass its SIGTERM on, would leave the service behind unseen. */
function whenNpmIsGone(act) {
  if (!process.env.npm_lifecycle_event) return undefined
  const parent = process.ppid
  const watch = setInterval(() => process.ppid !== parent && act(), 500)
  watch.unref()
  return watch
}

/** The last line of a script: its failure as one sentence, its exit code as ours. */
export async function exitWith(main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
