// A credential that was taken away: from a second later on nothing is accepted, however long answers take on a busy machine.
import assert from 'node:assert/strict'

/** Asks until it is refused. Call it right after the credential was taken away. */
export const refusedSoon = (ask: () => Promise<{ status: number }>): Promise<void> =>
  changedSoon(async () => (await ask()).status === 401)

/** Looks until it is so. A look that begins a second after this call or later must find it so. */
export async function changedSoon(isSo: () => Promise<boolean>): Promise<void> {
  const since = performance.now()
  for (;;) {
    const askedAfterMs = performance.now() - since
    if (await isSo()) return
    assert.ok(askedAfterMs < 1000, `it was not so ${Math.round(askedAfterMs)} ms later`)
  }
}
