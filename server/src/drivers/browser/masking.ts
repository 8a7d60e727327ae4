// Hides what was filled in by a login: its fields are covered in pictures, and its values are cut out of everything that is reported about the page.
import type { Page } from 'playwright-core'
import { scrubberOf, type Scrub } from '../../base/knownSecrets.ts'
import { within } from './withTimeout.ts'

export interface Hidden {
  /** Passwords and one-time codes. */
  values: Set<string>
  /** User names: covered where they are typed, and nothing that a page may not show. */
  names: Set<string>
  scrub: Scrub
}

export const hideNothing = (): Hidden => ({ values: new Set(), names: new Set(), scrub: scrubberOf([]) })

export function hideMore(hidden: Hidden, value: string, isName: boolean): void {
  if (isName) hidden.names.add(value)
  else hidden.values.add(value)
  hidden.scrub = scrubberOf([...hidden.values])
}

/** Runs in each frame: covers the fields that hold a value. True: the page shows one in its text too. */
const cover = `(values, names) => {
  const root = document.documentElement
  for (const field of document.querySelectorAll('input, textarea')) {
    if (![...values, ...names].some((value) => field.value.includes(value))) continue
    field.setAttribute('data-covered-style', field.getAttribute('style') ?? '')
    for (const [name, value] of [['color', 'transparent'], ['-webkit-text-fill-color', 'transparent'], ['caret-color', 'transparent'],
      ['text-shadow', 'none'], ['background', '#222'], ['-webkit-text-security', 'disc']]) field.style.setProperty(name, value, 'important')
  }
  const shown = (root && root.innerText) || ''
  return values.some((value) => value.length >= 4 && shown.includes(value))
}`

const uncover = `() => {
  for (const field of document.querySelectorAll('[data-covered-style]')) {
    field.setAttribute('style', field.getAttribute('data-covered-style'))
    field.removeAttribute('data-covered-style')
  }
}`

/** Takes a picture with all fields covered; undefined where the page shows a value in its text: then there is none. */
export async function whileCovered<T>(
  page: Page,
  { values, names }: Hidden,
  take: () => Promise<T>,
): Promise<T | undefined> {
  if (values.size + names.size === 0) return take()
  const frames = page.frames()
  const all = [[...values], [...names]].map((list) => JSON.stringify(list)).join(', ')
  // a frame that does not answer may show anything
  const shows = await Promise.all(
    frames.map((frame) => within(2000, frame.evaluate<boolean>(`(${cover})(${all})`), true)),
  )
  try {
    return shows.some(Boolean) ? undefined : await take()
  } finally {
    await Promise.all(frames.map((frame) => within(2000, frame.evaluate(`(${uncover})()`), undefined)))
  }
}
