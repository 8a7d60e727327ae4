// The token of a confirmation mail stands behind the # of the address, which browsers send to nobody.
const begin = '#confirm='

/** Takes it out of the address and of the history. */
export function takeToken(): string | undefined {
  const { hash, pathname, search } = window.location
  if (!hash.startsWith(begin)) return undefined
  window.history.replaceState(window.history.state, '', pathname + search)
  return hash.slice(begin.length)
}
