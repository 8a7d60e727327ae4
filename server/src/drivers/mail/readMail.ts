// Reads a mail as it came over the wire: its headers, its text and what is attached to it. Everything is bounded: anybody can send one.

interface ReadMail {
  message_id: string | null
  from: string | null
  to: string[]
  subject: string
  date: string | null
  text: string
  headers: Record<string, string>
  attachments: { name: string | null; type: string; size_bytes: number }[]
}

const headersMax = 200
const headerMax = 10_000
const partsMax = 50
const depthMax = 5
const addressesMax = 50
const textMax = 200_000

interface Part {
  headers: Record<string, string>
  body: Buffer
}

export function readMail(raw: Buffer): ReadMail {
  const whole = split(raw)
  const { headers } = whole
  const leaves = leavesOf(whole)
  const plain = leaves.find((part) => isText(part, 'text/plain'))
  const html = plain ? undefined : leaves.find((part) => isText(part, 'text/html'))
  const text = plain ? textOf(plain) : html ? withoutTags(textOf(html)) : ''
  const attached = leaves.filter((part) => part !== plain && part !== html && !isText(part, 'text/html'))
  return {
    message_id: headers['message-id'] ?? null,
    from: addressesOf(headers['from'])[0] ?? null,
    to: addressesOf(headers['to']),
    subject: headers['subject'] ?? '',
    date: headers['date'] ?? null,
    text: text.slice(0, textMax).toWellFormed(),
    headers,
    attachments: attached.map((part) => ({
      name: nameOf(part.headers),
      type: typeOf(part.headers),
      size_bytes: decodedBody(part).length,
    })),
  }
}

const isText = (part: Part, type: string): boolean => typeOf(part.headers) === type && !isAttached(part.headers)

/** Headers by their names in lower case, unfolded and decoded; of one that is there twice, the first: servers add theirs on top. */
function split(raw: Buffer): Part {
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.subarray(0, end === -1 ? raw.length : end).toString('latin1')
  const headers: Record<string, string> = {}
  for (const line of head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .slice(0, headersMax)) {
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase()
    if (/^[a-z0-9-]{1,100}$/.test(name) && !Object.hasOwn(headers, name)) {
      headers[name] = decodedWords(Buffer.from(line.slice(at + 1, at + headerMax).trim(), 'latin1').toString())
    }
  }
  return { headers, body: end === -1 ? Buffer.alloc(0) : raw.subarray(end + 4) }
}

/** The parts of a mail that hold something themselves, in their order. */
function leavesOf(whole: Part): Part[] {
  const leaves: Part[] = []
  const walk = (part: Part, depth: number): void => {
    const boundary = parameterOf(part.headers['content-type'] ?? '', 'boundary')
    if (!typeOf(part.headers).startsWith('multipart/') || boundary === undefined || depth >= depthMax) {
      if (leaves.length < partsMax) leaves.push(part)
      return
    }
    for (const one of partsOf(part.body, boundary)) if (leaves.length < partsMax) walk(split(one), depth + 1)
  }
  walk(whole, 0)
  return leaves
}

function partsOf(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`)
  const parts: Buffer[] = []
  let from = body.indexOf(mark)
  while (from !== -1 && parts.length < partsMax) {
    const start = from + mark.length
    if (body.subarray(start, start + 2).toString() === '--') break
    const next = body.indexOf(mark, start)
    // without the line break behind the boundary, and the one before the next
    parts.push(body.subarray(start + 2, next === -1 ? body.length : Math.max(start + 2, next - 2)))
    from = next
  }
  return parts
}

const typeOf = (headers: Record<string, string>): string =>
  (headers['content-type'] ?? 'text/plain').split(';', 1)[0]!.trim().toLowerCase().slice(0, 100)

const isAttached = (headers: Record<string, string>): boolean =>
  /^\s*attachment/i.test(headers['content-disposition'] ?? '')

function parameterOf(header: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`;\\s*${name}=(?:"([^"]{1,200})"|([^\\s;"]{1,200}))`, 'i').exec(header) ?? []
  return quoted ?? bare
}

const nameOf = (headers: Record<string, string>): string | null =>
  parameterOf(headers['content-disposition'] ?? '', 'filename') ??
  parameterOf(headers['content-type'] ?? '', 'name') ??
  null

function decodedBody({ headers, body }: Part): Buffer {
  const encoding = (headers['content-transfer-encoding'] ?? '').trim().toLowerCase()
  if (encoding === 'base64') return Buffer.from(body.toString('latin1'), 'base64')
  return encoding === 'quoted-printable'
    ? quotedPrintable(body.toString('latin1').replaceAll(/=[ \t]*\r\n/g, ''))
    : body
}

const quotedPrintable = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  )

function textOf(part: Part): string {
  const charset = parameterOf(part.headers['content-type'] ?? '', 'charset') ?? 'utf-8'
  return decodedText(decodedBody(part), charset).replaceAll('\r\n', '\n').trim()
}

function decodedText(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch (error) {
    // an encoding that nobody knows
    if (error instanceof RangeError) return bytes.toString()
    throw error
  }
}

/** RFC 2047: the space between two encoded words does not count. */
const decodedWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+(?==\?)/g, '?=')
    .replaceAll(/=\?([\w-]{1,40})\?([bq])\?([^?\s]*)\?=/gi, (_, charset: string, way: string, word: string) =>
      decodedText(/b/i.test(way) ? Buffer.from(word, 'base64') : quotedPrintable(word.replaceAll('_', ' ')), charset),
    )

/** The bare addresses of a header. */
const addressesOf = (header = ''): string[] =>
  [...header.matchAll(/[^\s<>,;:"()]{1,64}@[^\s<>,;:"()]{1,255}/g)].slice(0, addressesMax).map(([address]) => address)

/** The elements after which a new line begins. */
const lineEnds = new Set(['br', 'p', 'div', 'tr', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** In one pass: a pattern would look for the end of each tag again and again in what a stranger wrote to be slow. */
function withoutTags(html: string): string {
  const lower = html.toLowerCase()
  let text = ''
  let at = 0
  for (let open = html.indexOf('<'); open !== -1; open = html.indexOf('<', at)) {
    text += html.slice(at, open)
    const close = html.indexOf('>', open)
    if (close === -1) return tidied(text)
    const name = /^<\/?([a-z][a-z0-9]{0,9})/.exec(lower.slice(open, open + 12))?.[1] ?? ''
    const isHidden = (name === 'script' || name === 'style') && lower[open + 1] !== '/'
    const end = isHidden ? lower.indexOf(`</${name}`, close) : close + 1
    if (end === -1) return tidied(text)
    text += lineEnds.has(name) ? '\n' : ' '
    at = end
  }
  return tidied(text + html.slice(at))
}

const tidied = (text: string): string =>
  text
    .slice(0, textMax * 2)
    .replaceAll(/&(nbsp|amp|lt|gt|quot);/g, (_, name: string) => entities[name]!)
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n\s*/g, '\n')
    .trim()

const entities: Record<string, string> = { nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"' }
