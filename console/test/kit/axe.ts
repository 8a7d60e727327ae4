// What axe finds on a page: serious and critical hindrances for people who use a keyboard, a screen reader or strong contrast.
import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** A line for each element; empty: nothing serious. The rules are those of WCAG 2.2 AA and of good practice. */
export async function axe(page: Page): Promise<string[]> {
  // a guard at the edge of a menu passes the focus on as soon as it has it, so it holds nothing that a reader could miss
  // evaluated by the debugger, which the policy of the page does not bind
  await page.evaluate(`${source}; undefined`)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: ['[data-base-ui-focus-guard]'] }, { resultTypes: ['violations'] })`,
  )
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => {
        const why = failureSummary?.replaceAll(/\s+/g, ' ') ?? ''
        return `${impact} ${id}: ${help}: ${target.join(' ')} ${why}`
      }),
    )
}
