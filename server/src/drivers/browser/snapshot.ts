// A page as text: its aria snapshot, with a reference for every element that can be used.
import type { Page } from 'playwright-core'
import { within } from './withTimeout.ts'

const bytesMax = 48 * 1024

/** Undefined where the page does not answer. */
export async function snapshotOf(page: Page): Promise<string | undefined> {
  // A frame that could not be loaded is waited for until the end and then left out, so the first wait is short.
  for (const timeout of [1000, 4000]) {
    const whole = await within(timeout + 500, page.ariaSnapshot({ mode: 'ai', timeout }), undefined)
    if (whole !== undefined) return capped(whole)
  }
  return undefined
}

export function capped(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= bytesMax) return text
  const whole = bytes.subarray(0, bytesMax).toString()
  return `${whole.slice(0, whole.lastIndexOf('\n') + 1)}(cut off: the page is longer than 48 KiB. Read a part of it by naming an element.)`
}
