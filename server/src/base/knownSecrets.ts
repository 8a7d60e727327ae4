// The rule for data: only values that are known to be secret are cut out, in every spelling that a server could use. Data that merely looks
// like a secret stays as it is; what looks like one is cut out of the log (log.ts) and of what becomes a draft (secretLike.ts) alone.

/** How short a secret may be to be cut out: shorter ones are words that occur in any text. */
export const lengthMin = 6
export const isCuttable = (value: string): boolean => value.length >= lengthMin
/** What stands in the place of a secret. */
export const cutMark = '[cut]'

/** The forms in which a value may stand in an answer: plain, in JSON, in a URL, in hex, and in base64 with any bytes before it. */
function spellings(value: string): string[] {
  const bytes = Buffer.from(value)
  const base64 = [0, 1, 2].map((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // the first and the last characters also carry bits of their neighbours
    return whole.slice(shift === 0 ? 0 : shift + 1, (shift + bytes.length) % 3 === 0 ? undefined : -1)
  })
  const urlSafe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  const inJson = JSON.stringify(value).slice(1, -1)
  // bodies are looked through as bytes, one a letter
  const asBytes = bytes.toString('latin1')
  const hex = bytes.toString('hex')
  const inUrl = encodeURIComponent(value)
  return [value, asBytes, inJson, inUrl, inUrl.replaceAll('%20', '+'), hex, hex.toUpperCase(), ...base64, ...urlSafe]
}

export interface Scrub {
  (text: string): string
  /** All that it cuts out, the longest first: one may be the beginning of another. */
  readonly spellings: readonly string[]
}

export function scrubberOf(values: string[]): Scrub {
  const long = values.filter(isCuttable)
  // base64 without the bits of its neighbours may be shorter than the value
  return cutterOf(long.flatMap(spellings).filter((spelling) => spelling.length >= lengthMin))
}

/** Cuts out what any of them cuts out. */
export const joined = (scrubs: Scrub[]): Scrub => cutterOf(scrubs.flatMap((scrub) => scrub.spellings))

function cutterOf(spelled: string[]): Scrub {
  const all = [...new Set(spelled)].toSorted((one, other) => other.length - one.length)
  const cut = (text: string): string => all.reduce((clean, spelling) => clean.replaceAll(spelling, cutMark), text)
  return Object.assign(cut, { spellings: all })
}

/** Every text inside a value of JSON, names of fields too. */
export function scrubbed<T>(value: T, scrub: Scrub): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map((item) => scrubbed(item as unknown, scrub)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [scrub(name), scrubbed(item, scrub)])) as T
}

/** Reads one character per byte, so that cutting changes nothing else in a file. */
export const scrubbedBytes = (bytes: Buffer, scrub: Scrub): Buffer =>
  Buffer.from(scrub(bytes.toString('latin1')), 'latin1')
