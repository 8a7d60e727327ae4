// The window that stories of the short form use one after another: a new one takes 1.2 s of processor time until it shows a page, this one 0.5.
import type { Page } from 'playwright-core'
import { isLongForm } from '../../../server/test/kit/longForm.ts'
import type { Opening } from './stage.ts'

/** Of one browser. */
export interface KeptWindow {
  page?: Page | undefined
}

export const usualSize = { width: 1280, height: 800 }

const isUsual = ({ theme = 'light', size }: Opening): boolean => theme === 'light' && size === undefined

/** Undefined: there is none yet, or the story wants another. */
export function takeKept(kept: KeptWindow, opening: Opening): Page | undefined {
  if (!isUsual(opening)) return undefined
  const { page } = kept
  kept.page = undefined
  return page
}

/**
 * Stories of the long form change windows in ways that cannot be undone, so each of them has a new one. `quiet` is an address of the service
 * without scripts: the page of another origin would be in another process, which has nothing loaded.
 */
export async function keep(kept: KeptWindow, page: Page, opening: Opening, quiet: string): Promise<void> {
  if (isLongForm || kept.page || !isUsual(opening) || page.isClosed() || page.context().pages().length > 1) return
  page.removeAllListeners()
  await page.unrouteAll()
  await page.goto(quiet)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(usualSize)
  await page.context().clearCookies()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin: new URL(quiet).origin, storageTypes: 'all' })
  await devtools.detach()
  kept.page = page
}
