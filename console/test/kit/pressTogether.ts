// Two keys that mean something together: the page takes them so only when the second comes soon after the first.
import type { Page } from 'playwright-core'

/** Sends the second without waiting for what became of the first, so that nothing can stand still between them. */
export async function pressTogether(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)])
}
