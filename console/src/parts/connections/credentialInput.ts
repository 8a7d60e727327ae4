// What a person types as the credential of a connection, and what is sent of it.

export type How = 'oauth' | 'key' | 'headers' | 'none'

export interface CredentialInput {
  how: How
  key: string
  /** The header that carries the key alone; empty: `Authorization: Bearer`. */
  header: string
  /** One a line: `X-Api-Key: …`. */
  headers: string
}

export const emptyCredential: CredentialInput = { how: 'key', key: '', header: '', headers: '' }

function headersOf(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const pairs = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()] as const
  })
  const isGood = pairs.length > 0 && pairs.every(([name, value]) => name !== '' && value !== '')
  return isGood ? Object.fromEntries(pairs) : undefined
}

export function credentialOf({ how, key, header, headers }: CredentialInput): {
  api_key?: string
  api_key_header?: string
  headers?: Record<string, string>
} {
  if (how === 'key' && key !== '')
    return { api_key: key, ...(header.trim() !== '' && { api_key_header: header.trim() }) }
  const given = how === 'headers' ? headersOf(headers) : undefined
  return given ? { headers: given } : {}
}

/** Why it cannot be sent yet. */
export function whyNotSent({ how, key, headers }: CredentialInput): string | undefined {
  if (how === 'key' && key === '') return 'The key is missing.'
  if (how === 'headers' && headersOf(headers) === undefined) return 'Write one header a line, as X-Api-Key: value.'
  return undefined
}
