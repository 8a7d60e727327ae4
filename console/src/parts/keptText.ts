// What a person typed and has not sent stays in this tab over a reload and over a session that ended, for the same person only.
import { storageOfTab } from './browserStorage.ts'

/** Another person who signs in here must not find it. */
const place = (memberId: string, what: string): string => `runyard.typed.${memberId}.${what}`

export const readKept = (memberId: string, what: string): string | undefined =>
  storageOfTab()?.getItem(place(memberId, what)) ?? undefined

export function keep(memberId: string, what: string, text: string): void {
  try {
    storageOfTab()?.setItem(place(memberId, what), text)
  } catch (error) {
    // a full storage loses the text at a reload, and nothing else
    console.warn('What was typed cannot be kept.', error)
  }
}

export function forget(memberId: string, what: string): void {
  storageOfTab()?.removeItem(place(memberId, what))
}
