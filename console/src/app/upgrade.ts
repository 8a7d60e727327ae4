// The service may be upgraded under an open page, whose later parts are then gone: the new page has them.
import { storageOfTab } from '../parts/browserStorage.ts'

const place = 'runyard.reloadedAt'
/** A part that is still missing after a reload has another cause, which a second reload would not end. */
const onceMs = 60_000
/** How Chromium, Firefox, Safari and the loader of styles say that a part is not there. One that came and failed would fail in the new page too. */
const missing = /dynamically imported module|Importing a module script|Unable to preload CSS/i

export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', ({ payload }) => {
    if (!missing.test(payload.message)) return
    const storage = storageOfTab()
    const before = Number(storage?.getItem(place) ?? 0)
    // without storage a reload could follow a reload for ever
    if (!storage || Date.now() - before < onceMs) return
    storage.setItem(place, String(Date.now()))
    window.location.reload()
  })
}
