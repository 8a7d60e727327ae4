// The service may be upgraded under an open page, whose later parts are then gone: the new page has them.

const place = 'runyard.reloadedAt'
/** A part that is still missing after a reload has another cause, which a second reload would not end. */
const onceMs = 60_000

export function reloadAfterUpgrade(): void {
  window.addEventListener('vite:preloadError', () => {
    const before = Number(window.sessionStorage.getItem(place) ?? 0)
    if (Date.now() - before < onceMs) return
    window.sessionStorage.setItem(place, String(Date.now()))
    window.location.reload()
  })
}
