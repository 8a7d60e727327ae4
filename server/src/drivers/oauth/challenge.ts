// What a server says with a 401 or 403 about the authorisation it wants: the bearer challenge of WWW-Authenticate.

export interface Challenge {
  /** Where the server describes its authorisation (RFC 9728 §5.1). */
  resource_metadata?: string
  scope?: string
  error?: string
}

const parameter = /([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g
const headerMax = 8192

/** The parameters of the first bearer challenge; empty where there is none (RFC 9110 §11.6.1). */
export function challengeOf(headers: Headers): Challenge {
  const header = (headers.get('www-authenticate') ?? '').slice(0, headerMax)
  const [, ofBearer] = /(?:^|,)\s*bearer(?:\s+(.*))?$/is.exec(header) ?? []
  const challenge: Challenge = {}
  for (const [, name = '', quoted, plain = ''] of (ofBearer ?? '').matchAll(parameter)) {
    const key = name.toLowerCase()
    if (key !== 'resource_metadata' && key !== 'scope' && key !== 'error') continue
    challenge[key] ??= quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')
  }
  return challenge
}
