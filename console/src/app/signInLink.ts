// A one-time link has its token behind the # of the address, which browsers send to nobody.
import { runyard } from './client.ts'

const begin = '#sign-in='

/** Why the link of the address did not work; undefined: there was none, or it worked. */
let refusal: unknown

export const linkRefusal = (): unknown => refusal

let underWay: Promise<void> | undefined

/** Signs in with the link of the address, if it has one. Whoever asks during that time waits for the same sign-in. */
export const takeLinkFromAddress = (): Promise<void> => (underWay ??= takeLink())

/** Takes the token out of the address and of the history. */
async function takeLink(): Promise<void> {
  const { hash, pathname, search } = window.location
  if (hash.startsWith(begin)) {
    window.history.replaceState(window.history.state, '', pathname + search)
    try {
      await runyard.request('POST', '/auth/sign-in', { body: { token: decodeURIComponent(hash.slice(begin.length)) } })
      refusal = undefined
    } catch (error) {
      // a session from before may still be there; the ways in show this otherwise
      refusal = error
    }
  }
  underWay = undefined
}
