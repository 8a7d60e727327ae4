// A metadata document of a server, fetched through the guard, with a few redirects and never from https to http.
import { within, type Door, type Json } from './answer.ts'
import { OAuthTrouble } from './failures.ts'
import { isSecure } from './secureUrl.ts'

const redirectsMax = 3

/** Undefined: there is no such document. */
export async function fetchDocument(at: URL, door: Door): Promise<Json | undefined> {
  let url = at
  for (let redirects = 0; ; redirects++) {
    const { status, headers, body } = await within(door, url, (signal) =>
      door.fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal }),
    )
    if (status === 200) return body // many servers answer every path with a page, which is not a document either
    if (status >= 500 || status === 429) throw new OAuthTrouble(`${url.hostname} answered ${status}. Try again later.`)
    const next = headers.get('location')
    if (status < 300 || status >= 400 || next === null) return undefined
    if (redirects === redirectsMax) throw new OAuthTrouble(`${at.hostname} redirects too often.`)
    url = redirected(url, next)
  }
}

function redirected(from: URL, location: string): URL {
  const to = URL.parse(location, from.href)
  if (to === null) throw new OAuthTrouble(`${from.hostname} redirects to a URL that is not valid.`)
  if (!isSecure(to)) throw new OAuthTrouble(`${from.hostname} redirects to ${to.origin}, which is not https.`)
  return to
}
