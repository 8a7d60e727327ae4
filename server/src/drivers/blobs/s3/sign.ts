// Signatures of AWS, version 4: of a request by its headers, and of a URL that anybody may use for a while.
import { createHmac, hash } from 'node:crypto'

export interface Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

interface SignedRequest {
  method: string
  url: URL
  headers: Record<string, string>
  /** The SHA-256 of the body, in hexadecimal. */
  payload: string
}

const service = 's3'
const algorithm = 'AWS4-HMAC-SHA256'

/** The headers with which the request is sent: those given and the signature. All of them are signed. */
export function signedHeaders(asked: SignedRequest, credentials: Credentials, now: Date): Record<string, string> {
  const { method, url, payload } = asked
  const time = timeOf(now)
  const headers: Record<string, string> = {
    ...asked.headers,
    host: url.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).sort()
  const request = [
    method,
    url.pathname,
    canonicalQuery([...url.searchParams]),
    ...names.map((name) => `${name}:${headers[name]!.trim()}`),
    '',
    names.join(';'),
    payload,
  ].join('\n')
  const scope = scopeOf(time, credentials.region)
  const signature = signatureOf(request, time, credentials)
  return {
    ...headers,
    authorization: `${algorithm} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  }
}

/** A URL for GET; its query is part of what is signed, so nobody can ask for another content type or name. */
export function signedUrl(url: URL, credentials: Credentials, { now, validS }: { now: Date; validS: number }): string {
  const time = timeOf(now)
  const query: [string, string][] = [
    ...url.searchParams,
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${credentials.accessKeyId}/${scopeOf(time, credentials.region)}`],
    ['X-Amz-Date', time],
    ['X-Amz-Expires', String(validS)],
    ['X-Amz-SignedHeaders', 'host'],
  ]
  const asked = canonicalQuery(query)
  const request = ['GET', url.pathname, asked, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  return `${url.origin}${url.pathname}?${asked}&X-Amz-Signature=${signatureOf(request, time, credentials)}`
}

function signatureOf(request: string, time: string, { secretAccessKey, region }: Credentials): string {
  const text = [algorithm, time, scopeOf(time, region), hash('sha256', request)].join('\n')
  const keyOfDay = [time.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(
    (key, word) => createHmac('sha256', key).update(word).digest(),
    `AWS4${secretAccessKey}`,
  )
  return createHmac('sha256', keyOfDay).update(text).digest('hex')
}

/** 20261118T050000Z. */
const timeOf = (now: Date): string => now.toISOString().replace(/[-:]|\.\d+/g, '')

const scopeOf = (time: string, region: string): string => `${time.slice(0, 8)}/${region}/${service}/aws4_request`

/** Sorted by the encoded name: the signature and the URL spell it in the same way. */
export const canonicalQuery = (query: [string, string][]): string =>
  query
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([one, a], [other, b]) => (one < other || (one === other && a < b) ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** RFC 3986: everything but letters, digits and -._~ is percent-encoded. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
