// Asks a provider whose account a token is for: the name that people see, and the proof that the token works.
import { parseBounded } from '../../../base/boundedJson.ts'
import type { Outbound } from '../../../base/outbound/fetch.ts'
import type { AccountRequest } from './providers.ts'

interface AccountAnswer {
  status: number
  /** Null: the provider gives no name. */
  label: string | null
  /** Whether the token is no longer valid; Slack says so with status 200. */
  isRefused: boolean
}

const answerBytesMax = 256 * 1024
const labelLengthMax = 120

export async function askAccount(
  outbound: Outbound,
  account: AccountRequest,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<AccountAnswer> {
  const { status, body } = await outbound.request({
    method: account.method ?? 'GET',
    url: account.url,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      // GitHub refuses requests without a User-Agent
      'user-agent': 'Runyard',
      ...account.headers,
      ...headers,
    },
    body: account.body ?? null,
    signal,
    answerBytesMax,
  })
  const parsed = parse(body)
  const saysNo = typeof parsed === 'object' && parsed !== null && (parsed as { ok?: unknown }).ok === false
  const isName = status < 400 && !saysNo
  return { status, label: isName ? labelOf(parsed, account.label) : null, isRefused: status === 401 || saysNo }
}

function parse(body: Buffer): unknown {
  try {
    return parseBounded(body.toString())
  } catch {
    return undefined // a page instead of JSON: there is no name in it
  }
}

function labelOf(answer: unknown, paths: readonly string[]): string | null {
  for (const path of paths) {
    let value = answer
    for (const step of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[step]
    if (typeof value !== 'string' && typeof value !== 'number') continue
    const text = String(value)
      .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
      .trim()
    if (text !== '') return text.slice(0, labelLengthMax).toWellFormed()
  }
  return null
}
