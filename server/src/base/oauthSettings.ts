// The settings of each OAuth provider, such as OAUTH_<PROVIDER>_CLIENT_ID, read by the endings of their names.

/** The settings of one provider from the environment; what is missing comes from the table of providers. */
export interface OauthSettings {
  client_id?: string
  client_secret?: string
  authorization_url?: string
  token_url?: string
  revocation_url?: string
  account_url?: string
  issuer?: string
  hosts?: string[]
  scopes?: string[]
}

interface Kind {
  says: string
  unset: string
  secret?: boolean
  read: (text: string) => string | string[]
}

const own = 'the provider’s own'

const word = (text: string): string => {
  if (/^[\x21-\x7e]{1,1024}$/.test(text.trim())) return text.trim()
  throw new Error('must be printable characters without spaces')
}

const address = (text: string): string => {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.username + url.password === '') return text
  throw new Error('must be a URL that begins with https:// or http://, without a user name or password')
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

const hostNames = (text: string): string[] => {
  const hosts = words(text.toLowerCase())
  const bad = hosts.find((one) => !/^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/.test(one))
  if (bad === undefined && hosts.length > 0) return hosts
  throw new Error(`has the entry "${bad ?? ''}": must be a host name, with :port or with *. in front where wanted`)
}

const kinds: Record<keyof OauthSettings, Kind> = {
  client_id: { says: 'The id of the OAuth client that you made at the provider.', unset: 'none', read: word },
  client_secret: { says: 'Its secret.', unset: 'none', secret: true, read: word },
  authorization_url: {
    says: 'Where people are sent to agree, for an instance of your own.',
    unset: own,
    read: address,
  },
  token_url: { says: 'Where codes and refresh tokens are exchanged.', unset: own, read: address },
  revocation_url: { says: 'Where tokens are given back (RFC 7009).', unset: own, read: address },
  account_url: {
    says: 'Where the name of an account is read; its connections are tested with it.',
    unset: own,
    read: address,
  },
  issuer: { says: 'The `iss` that its callbacks must carry (RFC 9207).', unset: own, read: address },
  hosts: {
    says: 'Hosts that its credential may be sent to, comma-separated; `*.` in front takes all below.',
    unset: own,
    read: hostNames,
  },
  scopes: { says: 'The scopes that are asked for when a caller names none.', unset: own, read: words },
}

const nameOf =
  /^OAUTH_([A-Z0-9]+(?:_[A-Z0-9]+)*?)_(CLIENT_ID|CLIENT_SECRET|AUTHORIZATION_URL|TOKEN_URL|REVOCATION_URL|ACCOUNT_URL|ISSUER|HOSTS|SCOPES)$/

export const isOauthSetting = (name: string): boolean => nameOf.test(name)

/** Settings by the provider's name, dashes for underscores; `complain` gets what follows the setting's name. */
export function readOauthSettings(
  env: NodeJS.ProcessEnv,
  complain: (name: string, message: string) => void,
): Record<string, OauthSettings> {
  const found: Record<string, OauthSettings> = {}
  for (const [name, text] of Object.entries(env)) {
    const [, upper, ending = ''] = nameOf.exec(name) ?? []
    if (upper === undefined || !text) continue
    const provider = upper.toLowerCase().replaceAll('_', '-')
    const field = ending.toLowerCase() as keyof OauthSettings
    try {
      found[provider] = { ...found[provider], [field]: kinds[field].read(text) }
    } catch (error) {
      complain(name, error instanceof Error ? error.message : String(error))
    }
  }
  return found
}

/** Rows of docs/configuration.md. */
export const oauthSettingRows = (): string[] =>
  Object.entries(kinds).map(
    ([field, { says, unset, secret }]) =>
      `| \`OAUTH_<PROVIDER>_${field.toUpperCase()}\` | ${unset} | ${says}${secret ? ' Secret.' : ''} |`,
  )
