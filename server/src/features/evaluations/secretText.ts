// Text that looks like a secret: formats that hardly anything else has. A finding names the kind of secret and never repeats it.
import { part } from '../../base/db.ts'

/** Each is linear: a part that repeats cannot begin again inside itself. */
const shapes: [string, RegExp][] = [
  ['a key or token of this service', /\b(?:ry|ryt|rys)_[A-Za-z0-9]+_?[A-Za-z0-9]{20,}|\bwhsec_[A-Za-z0-9+/=_-]{20,}/],
  ['an Anthropic key', /\bsk-ant-[A-Za-z0-9_-]{20,}/],
  ['an OpenAI key', /\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}/],
  ['a Google key', /\bAIza[A-Za-z0-9_-]{35}/],
  ['an AWS key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{60})/],
  ['a Slack token', /\bxox[abeoprs]-[A-Za-z0-9-]{20,}/],
  ['a Stripe key', /\b[rs]k_live_[A-Za-z0-9]{16,}/],
  ['a private key', /-----BEGIN (?:[A-Z]+ ){0,2}PRIVATE KEY-----/],
  ['a signed token (JWT)', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}/],
]

/** The kind of secret that the text looks like, or undefined. */
export const secretIn = (text: string): string | undefined => shapes.find(([, shape]) => shape.test(text))?.[0]

/** The same beginnings: text in which this finds nothing holds no secret that `secretIn` would find. */
const beginnings =
  /\b(?:ry[ts]?_|whsec_|sk-|AIza|AKIA|ASIA|gh[pousr]_|github_pat_|xox[abeoprs]-|[rs]k_live_|eyJ)|PRIVATE KEY-----/

/** Whether the text must be looked at for secrets. */
export const mayHoldSecret = (text: string): boolean => beginnings.test(text)

/** The beginnings of all formats as a PostgreSQL pattern: only text that has one of them is read at all. */
export const maySecret = part`'\\m(ry[ts]?_|whsec_|sk-|AIza|AKIA|ASIA|gh[pousr]_|github_pat_|xox[abeoprs]-|[rs]k_live_|eyJ)|PRIVATE KEY-----'`
