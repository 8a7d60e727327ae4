// Downloads of pages: watched while they grow, and passed on when they are complete and not too large.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { CDPSession, Download as PlaywrightDownload } from 'playwright-core'
import type { Download } from './browser.ts'
import { note, type SessionEvents } from './sessionEvents.ts'
import { within } from './withTimeout.ts'

const bytesMax = 10 * 1024 * 1024
const perActionMax = 20
const finishMs = 30_000
/** How long the browser may take to say why a download ended; a busy one took more than 0.1 s. */
const reasonMs = 3000
const watchEveryMs = 250

/**
 * Ends downloads that grow too large while they do, for a site can send without end. Chromium names a file by the id of its download, so
 * that every large file in the folder can be cancelled by its name; downloads of other sessions are not found, and are left alone.
 */
export function downloadWatch(browser: CDPSession, folder: string, contextId: () => Promise<string | undefined>) {
  return (download: PlaywrightDownload): void => {
    const timer = setInterval(() => void within(1000, cancelLarge(), undefined), watchEveryMs).unref()
    void within(24 * 3600_000, download.failure(), null).then(() => clearInterval(timer))
  }

  async function cancelLarge(): Promise<void> {
    const browserContextId = await contextId()
    for (const file of await readdir(folder)) {
      if ((await stat(join(folder, file))).size <= bytesMax || browserContextId === undefined) continue
      await within(
        500,
        browser.send('Browser.cancelDownload', { guid: file.slice(0, 36), browserContextId }),
        undefined,
      )
    }
  }
}

export async function finishedDownloads(heard: SessionEvents): Promise<Download[]> {
  const kept: Download[] = []
  for (const [index, download] of heard.downloads.entries()) {
    const name = plainName(download.suggestedFilename())
    const path = index < perActionMax ? await within(finishMs, download.path(), undefined) : undefined
    const size = path === undefined ? 0 : (await stat(path)).size
    if (path !== undefined && size <= bytesMax) {
      kept.push({ name, path, size })
      continue
    }
    const isCancelled = path === undefined && (await within(reasonMs, download.failure(), null)) === 'canceled'
    if (index >= perActionMax)
      note(heard, `More than ${perActionMax} files were downloaded at once: ${name} was not saved.`)
    else if (isCancelled || size > bytesMax) note(heard, `${name} is larger than 10 MiB and was not saved.`)
    else note(heard, `The download of ${name} did not finish within ${finishMs / 1000} s and was given up.`)
    await within(1000, download.cancel(), undefined)
    await within(1000, download.delete(), undefined)
  }
  return kept
}

/** The site chose the name, so folders, characters that a path cannot hold, and leading dots are removed. */
export function plainName(suggested: string): string {
  const bare = suggested
    .normalize('NFC')
    .replace(/^.*[/\\]/, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}%:]+/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const [, stem = bare, ending = ''] = /^(.+?)(\.[^.]{1,10})?$/u.exec(bare) ?? []
  return bare === '' ? 'download' : `${stem.slice(0, 50).toWellFormed()}${ending}`
}
