// How a page is served: it can load nothing, send nothing and reach nothing around it, whatever is written in it.
import { selectScriptHash } from './selectScript.ts'
import { sortScriptHash } from './sortScript.ts'

const policyWith = (...scripts: string[]): string =>
  [
    "default-src 'none'",
    `script-src ${scripts.map((hash) => `'${hash}'`).join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')

/** What a <meta> can say too, so that a page saved as a file is as safe as a served one. */
export const pagePolicy = policyWith(sortScriptHash)
/** The same for a page in which a person selects an element. */
export const selectablePolicy = policyWith(sortScriptHash, selectScriptHash)

/** Links open a window of their own, which is not sandboxed; the page itself has an origin that no other page has. */
const sandbox = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox'

export function pageHeaders(policy = pagePolicy): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${sandbox}; ${policy}; frame-ancestors 'self'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-dns-prefetch-control': 'off',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy':
      'accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
    'x-robots-tag': 'noindex',
  }
}
