// Starts Chromium with its own sandbox if the system allows one, and reports whether it does.
import type { Browser, CDPSession } from 'playwright-core'
import type { Log } from '../../base/log.ts'
import type { Account } from '../../base/accounts.ts'
import { findChromium, type ChromiumFiles } from './chromiumFiles.ts'
import { startChromium, type ChromiumProcess } from './chromiumProcess.ts'

export interface Running {
  browser: Browser
  /** The DevTools session of the whole browser. */
  devtools: CDPSession
  process: ChromiumProcess
  isSandboxed: boolean
}

export async function launchChromium(options: {
  named?: string | undefined
  cacheDir: string
  account: Account | undefined
  log: Log
}): Promise<Running> {
  const files = await findChromium(options)
  try {
    return await launchWith(files, options.account, true)
  } catch (error) {
    if (!(error instanceof NoSandbox)) throw error
    options.log.warn(
      { reason: error.message },
      'Chromium runs without its own sandbox, because this system gives it no user namespaces: allow them, or use RUNYARD_CDP_URL',
    )
    return launchWith(files, options.account, false)
  }
}

class NoSandbox extends Error {}

async function launchWith(files: ChromiumFiles, account: Account | undefined, isSandboxed: boolean): Promise<Running> {
  const { chromium } = await import('playwright-core')
  const process = await startChromium(files, { account, isSandboxed })
  try {
    const wanted = { artifactsDir: process.downloads, noDefaults: true, timeout: 30_000 }
    const browser = await Promise.race([
      chromium.connectOverCDP(process.transport, wanted),
      process.ended.then(() => Promise.reject(new Error('it ended at once'))),
    ])
    return { browser, devtools: await browser.newBrowserCDPSession(), process, isSandboxed }
  } catch (error) {
    await process.end()
    const words = process.lastWords().trim()
    if (isSandboxed && /No usable sandbox|zygote_host_impl_linux/i.test(words)) throw new NoSandbox(words)
    throw new Error(`Chromium did not start. It said: ${words || String(error)}`, { cause: error })
  }
}
