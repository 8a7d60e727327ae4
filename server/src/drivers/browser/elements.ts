// Finds the element that somebody means: by its reference in the last snapshot, or by words that a person sees.
import type { Frame, Locator, Page } from 'playwright-core'
import { within } from './withTimeout.ts'

type Role = Parameters<Page['getByRole']>[0]
type Purpose = 'click' | 'type' | 'select' | 'read'

/** A sentence for whoever gave the words. */
export class NoSuchElement extends Error {}

const roles: Record<Purpose, Role[]> = {
  click: ['button', 'link', 'tab', 'menuitem', 'checkbox', 'radio', 'switch', 'option', 'menuitemcheckbox', 'treeitem'],
  type: ['textbox', 'searchbox', 'combobox', 'spinbutton'],
  select: ['combobox', 'listbox'],
  read: [
    'heading',
    'status',
    'alert',
    'region',
    'table',
    'row',
    'article',
    'dialog',
    'group',
    'textbox',
    'link',
    'button',
  ],
}

/** An element as the snapshot writes it: `button "Save"`. */
const roleAndName = /^([a-z]+) "(.+)"$/
const reference = /^(f\d+)?e\d+$/

export async function findElement(page: Page, words: string, purpose: Purpose): Promise<Locator> {
  if (reference.test(words)) {
    const found = page.locator(`aria-ref=${words}`)
    if ((await within(2000, found.count(), 0)) === 1) return found
    throw new NoSuchElement(`There is no element ${words} in the page as it was last read. Read the page again.`)
  }
  for (const isExact of [true, false]) {
    for (const frame of page.frames()) {
      for (const candidates of ways(frame, words, purpose, isExact)) {
        const visible = candidates.filter({ visible: true })
        const count = await within(2000, visible.count(), 0)
        if (count === 1) return visible
        if (count > 1) throw new NoSuchElement(await several(visible, count, words))
      }
    }
  }
  throw new NoSuchElement(
    `Nothing on the page is called ${JSON.stringify(words)}. Read the page and name an element by its words or its reference, such as e12.`,
  )
}

/** The ways to find an element by what people see, the most reliable first. */
function ways(frame: Frame, words: string, purpose: Purpose, exact: boolean): Locator[] {
  const [, role, name] = roleAndName.exec(words) ?? []
  if (role !== undefined && name !== undefined) return [frame.getByRole(role as Role, { name, exact })]
  const byRole = roles[purpose].map((one) => frame.getByRole(one, { name: words, exact }))
  const byLabel = frame.getByLabel(words, { exact })
  const byPlaceholder = frame.getByPlaceholder(words, { exact })
  // What is typed or chosen goes into a field, never into the words beside it.
  if (purpose === 'type' || purpose === 'select') return [union(byRole), byLabel, byPlaceholder]
  return [
    union(byRole),
    byLabel,
    byPlaceholder,
    frame.getByText(words, { exact }),
    frame.getByAltText(words, { exact }),
  ]
}

const union = (locators: Locator[]): Locator => locators.reduce((all, one) => all.or(one))

async function several(found: Locator, count: number, words: string): Promise<string> {
  const shown = await Promise.all(
    Array.from({ length: Math.min(count, 8) }, async (_, index) => {
      const snapshot = await within(2000, found.nth(index).ariaSnapshot({ mode: 'ai' }), '')
      return (/^.*/.exec(snapshot)?.[0] ?? '').trim().slice(0, 120)
    }),
  )
  const list = shown.filter((line) => line !== '').join('\n')
  return `${count} elements are called ${JSON.stringify(words)}. Give the reference of one of them:\n${list}`
}
