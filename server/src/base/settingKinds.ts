// The kinds of settings: how the text of a variable is read, and what the message says if it cannot be read.
import { isIP } from 'node:net'
import { hostUrls } from './hostList.ts'
import { parseEncryptionKey } from './secrets.ts'

export interface Setting<T> {
  env: string
  says: string
  /** What the page says about the default; the value itself comes from `read(undefined)`. */
  unset: string
  secret?: boolean
  /** Returns the value, or throws an Error whose message follows the setting's name. */
  read(text: string | undefined): T
}

export const text = (env: string, unset: string, says: string, secret = false): Setting<string | undefined> => ({
  env,
  says,
  unset,
  secret,
  read: (value) => value,
})

export const oneOf = <const T extends string>(
  env: string,
  values: readonly T[],
  unset: T,
  says: string,
): Setting<T> => ({
  env,
  says: `${says} One of ${values.map((value) => `\`${value}\``).join(', ')}.`,
  unset: `\`${unset}\``,
  read(value = unset) {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}`)
    return value as T
  },
})

export function integer(
  env: string,
  range: { min: number; max: number; unset: number },
  says: string,
): Setting<number> {
  return {
    env,
    says: `${says} ${range.min} to ${range.max}.`,
    unset: `\`${range.unset}\``,
    read(value = String(range.unset)) {
      const number = Number(value)
      if (/^\d+$/.test(value) && number >= range.min && number <= range.max) return number
      throw new Error(`must be a whole number from ${range.min} to ${range.max}`)
    },
  }
}

/** A label of a few characters, such as the zone of a machine: also a label of Kubernetes and of Prometheus. */
export const label = (env: string, unset: string, says: string): Setting<string | undefined> => ({
  ...text(env, unset, says),
  read(value) {
    if (value === undefined || /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(value)) return value
    throw new Error('must be 1 to 63 letters, digits, dots, dashes or underscores, with a letter or digit at both ends')
  },
})

/** The URL of a server, or of several of which one is the primary. */
export function databaseAddress(env: string, unset: string, says: string): Setting<string | undefined> {
  const plain = address(env, ['postgres:', 'postgresql:'], unset, says, true)
  return {
    ...plain,
    read(value) {
      if (value === undefined) return undefined
      const urls = hostUrls(value)
      for (const url of urls) plain.read(url)
      return urls.length === 1 ? plain.read(value) : value
    },
  }
}

export function address(
  env: string,
  protocols: string[],
  unset: string,
  says: string,
  secret = false,
): Setting<string | undefined> {
  return {
    env,
    says,
    unset,
    secret,
    read(value) {
      if (value === undefined) return undefined
      if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value.replace(/\/+$/, '')
      throw new Error(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
    },
  }
}

/** A provider's key goes into a header: what cannot stand there is found at the start, not in a run. */
export const providerKey = (env: string, provider: string): Setting<string | undefined> => ({
  ...text(env, 'none', `The key for models of ${provider}.`, true),
  read(value) {
    const key = value?.trim()
    if (key === undefined || /^[\x21-\x7e]{1,4096}$/.test(key)) return key
    throw new Error('must be printable characters without spaces')
  },
})

export function providerUrl(env: string, unset: string, says: string): Setting<string | undefined> {
  const plain = address(env, ['http:', 'https:'], unset, says)
  return {
    ...plain,
    read(value) {
      const url = plain.read(value)
      if (url !== undefined && new URL(url).username + new URL(url).password !== '') {
        throw new Error('must not hold a user name or password; the key has its own setting')
      }
      return url
    },
  }
}

const retentionKinds = ['runs', 'messages', 'events', 'screenshots', 'files', 'audit', 'refusals'] as const
export type RetentionDays = Record<(typeof retentionKinds)[number], number | null>

/** Events and what runs made grow without end and have copies elsewhere. Runs and their messages are erased only if a setting says so. */
const keptByDefault: RetentionDays = {
  runs: null,
  messages: null,
  events: 30,
  screenshots: 30,
  files: 30,
  audit: 400,
  refusals: 30,
}

/** `runs=90,events=forever`: a number of days for each kind that is named. */
export function readRetention(value: string | undefined): RetentionDays {
  const kept = { ...keptByDefault }
  const named = new Set<string>()
  for (const entry of (value ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [kind = '', days = ''] = entry.split('=').map((one) => one.trim())
    const isKind = (retentionKinds as readonly string[]).includes(kind)
    if (!isKind || entry.split('=').length !== 2) {
      throw new Error(`has the entry "${entry.trim()}": must be <kind>=<days> with one of ${retentionKinds.join(', ')}`)
    }
    if (named.has(kind)) throw new Error(`names ${kind} twice`)
    if (days !== 'forever' && !(/^\d{1,5}$/.test(days) && Number(days) >= 1)) {
      throw new Error(`has the entry "${entry.trim()}": must be 1 to 99999 days, or forever`)
    }
    named.add(kind)
    kept[kind as keyof RetentionDays] = days === 'forever' ? null : Number(days)
  }
  return kept
}

/** Which runs the process works on. */
export interface WorkerPools {
  /** Runs of builds that ask for one of these pools; undefined: of every pool. */
  names?: string[]
  /** Runs of these teams, whatever pool they ask for. */
  teams: string[]
  /** No runs of these teams. */
  except_teams: string[]
}

export const poolName = /^[a-z][a-z0-9-]{0,31}$/
const teamEntry = /^(!?)team:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Reads `heavy,default,team:<id>,!team:<id>`. */
export function readWorkerPools(value: string | undefined): WorkerPools | undefined {
  if (value === undefined) return undefined
  const names: string[] = []
  const pools: WorkerPools = { teams: [], except_teams: [] }
  for (const entry of value.split(',').map((one) => one.trim())) {
    const [, not, team] = teamEntry.exec(entry) ?? []
    if (team !== undefined) (not ? pools.except_teams : pools.teams).push(team)
    else if (poolName.test(entry)) names.push(entry)
    else throw new Error(`has the entry "${entry}": must be the name of a pool, team:<id> or !team:<id>`)
  }
  return names.length + pools.teams.length > 0 ? { ...pools, names } : pools
}

function percentDecoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** Reads headers as OpenTelemetry writes them, after W3C Baggage. The value is a secret and is not repeated. */
export function readHeaders(value: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const entry of (value ?? '').split(',').filter((part) => part.trim() !== '')) {
    const [, name, encoded = ''] = /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(entry) ?? []
    if (name === undefined) throw new Error('must be name=value pairs with commas between them')
    const decoded = percentDecoded(encoded)
    // RFC 9110 §5.5: what a header cannot carry is found at the start, not with the first trace
    if (decoded === undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(decoded)) {
      throw new Error(`has a value for ${name} that is not a percent-encoded header; write % as %25`)
    }
    headers[name] = decoded
  }
  return headers
}

/** Addresses and networks: `10.0.0.0/8, 192.0.2.7, fd00::/8`. */
export function readNetworks(value = ''): string[] {
  const entries = value.split(/[\s,]+/).filter((one) => one !== '')
  for (const entry of entries) {
    const [base = '', bits, ...more] = entry.split('/')
    const bitsMax = isIP(base) === 4 ? 32 : 128
    const isSize = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
    if (isIP(base) !== 0 && !base.includes('%') && isSize && more.length === 0) continue
    throw new Error(`has the entry "${entry}": must be an address or a network such as 10.0.0.0/8`)
  }
  return entries
}

/** `https://app.example.com, http://localhost:3000`: an origin has no path. */
export function readOrigins(value = ''): string[] {
  const entries = value.split(/[\s,]+/).filter((one) => one !== '')
  for (const entry of entries) {
    const url = URL.parse(entry)
    if (url && /^https?:$/.test(url.protocol) && (url.href === `${url.origin}/` || url.origin === entry)) continue
    throw new Error(`has the entry "${entry}": must be an origin such as https://app.example.com, without a path`)
  }
  return entries.map((entry) => new URL(entry).origin)
}

export const encryptionKey = (env: string, unset: string, says: string): Setting<Buffer | undefined> => ({
  env,
  says,
  unset,
  secret: true,
  read(value) {
    if (value === undefined) return undefined
    const key = parseEncryptionKey(value)
    if (!key) throw new Error('must be 32 bytes as hex (64 characters) or base64 (44 characters)')
    return key
  },
})

/** A model that a run works with must be able to hold its procedure, its tools and a few turns. */
const leastWindow = 4000

/** Reads `provider:model=tokens,provider:*=tokens`; throws an Error whose message follows the setting's name. */
export function readWindows(value = ''): Record<string, number> {
  const windows: Record<string, number> = {}
  for (const entry of value.split(',').map((one) => one.trim())) {
    if (entry === '') continue
    const [, model, tokens] = /^([a-z-]+:\S+)=(\d{1,9})$/.exec(entry) ?? []
    if (model === undefined || Number(tokens) < leastWindow) {
      throw new Error(`has the entry "${entry}": must be provider:model=tokens, with ${leastWindow} tokens or more`)
    }
    windows[model] = Number(tokens)
  }
  return windows
}

/** Which files besides text a model takes. */
const sightWords = ['pictures', 'pdf', 'pictures+pdf', 'none'] as const
export type SightWord = (typeof sightWords)[number]

const isSightWord = (word: string | undefined): word is SightWord => sightWords.some((one) => one === word)

/** Reads `provider:model=pictures+pdf,provider:*=none`; throws an Error whose message follows the setting's name. */
export function readSight(value = ''): Record<string, SightWord> {
  const sight: Record<string, SightWord> = {}
  for (const entry of value.split(',').map((one) => one.trim())) {
    if (entry === '') continue
    const [, model, word] = /^([a-z-]+:\S+)=([a-z+]+)$/.exec(entry) ?? []
    if (model === undefined || !isSightWord(word)) {
      throw new Error(`has the entry "${entry}": must be provider:model= and one of ${sightWords.join(', ')}`)
    }
    sight[model] = word
  }
  return sight
}
