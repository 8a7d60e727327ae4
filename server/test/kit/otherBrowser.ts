// A Chromium as anybody has it: with a port, without our proxy, and with nothing that holds its pages back.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createLog } from '../../src/base/log.ts'
import { featuresForPeople } from '../../src/drivers/browser/chromiumArguments.ts'
import { findChromium } from '../../src/drivers/browser/chromiumFiles.ts'
import { accountForChromium } from '../../src/drivers/browser/chromiumProcess.ts'

const log = createLog('silent', { write: () => undefined })

/** Names below `.example` lead to this machine. */
export async function startOtherBrowser(): Promise<{ url: string; end: () => Promise<void> }> {
  const account = accountForChromium()
  const profile = await mkdtemp(join(tmpdir(), 'runyard-other-browser-'))
  if (account) await chown(profile, account.uid, account.gid)
  const { executable, env } = await findChromium({ cacheDir: join(process.cwd(), '.runyard/browser'), account, log })
  const names = '--host-resolver-rules=MAP *.example 127.0.0.1'
  const unseen = ['--no-startup-window', `--disable-features=${featuresForPeople.join(',')}`]
  const given = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, names, ...unseen]
  const child = spawn(executable, given, { ...account, cwd: profile, env, stdio: ['ignore', 'ignore', 'pipe'] })
  for await (const line of createInterface(child.stderr)) {
    const [, url] = /^DevTools listening on (ws:\S+)/.exec(line) ?? []
    if (url === undefined) continue
    child.stderr.resume()
    return {
      url,
      async end() {
        child.kill('SIGKILL')
        await once(child, 'exit')
        await rm(profile, { recursive: true, force: true, maxRetries: 5 })
      },
    }
  }
  throw new Error('the other browser said no address')
}
