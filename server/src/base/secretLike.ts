// What looks like the value of a secret, in text that becomes a draft. There a value is a mistake whatever it is: a draft names secrets
// and never holds one, so it costs nothing to be strict. Data of runs follows another rule (knownSecrets.ts).

/** What stands where a value was cut out. */
export const cutMark = '[secret cut out]'

/** Each finds the value alone. All of them are bounded, since hostile texts are looked through, too. */
const values: RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,8192}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  // tokens that show whose they are
  /\bsk-(?=[\w-]{0,100}\d)[\w-]{12,512}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_\w{8,512}/g,
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|shpat_|hf_|dop_v1_|pat-)[\w-]{16,512}/g,
  /\bxox[abeoprs]-[\w-]{8,512}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,512}/g,
  /\bya29\.[\w-]{16,512}/g,
  /\bSG\.[\w-]{10,512}\.[\w-]{10,512}/g,
  /\bwhsec_[A-Za-z0-9+/=_-]{8,512}/g,
  /\b(?:ry|ryt|rys|ryc|ryl)_[A-Za-z0-9]{4,100}_[A-Za-z0-9]{8,512}/g,
  /\beyJ[\w-]{8,4096}\.[\w-]{8,4096}\.[\w-]{8,4096}/g,
  // a user and a password in an address
  /(?<=\bhttps?:\/\/[^\s/:@{}]{1,200}:)[^\s/@{}]{1,200}(?=@)/g,
  // after the name of a scheme; a value has a digit, and a word that follows by chance has none
  /(?<=\b(?:Bearer|Basic) {1,3})(?=[\w.~+/=-]{0,200}\d)[\w.~+/=-]{8,512}/g,
  // a header that holds nothing else
  /(?<=^[ \t>*-]{0,8}(?:proxy-)?authorization: {0,3}(?:[a-z]{2,20} {1,3})?)(?!\{\{)(?=[^\s{}]{0,200}\d|[^\s{}]{20})[^\s{}]{8,512}$/gim,
  /(?<=^[ \t>*-]{0,8}x?-?(?:api-key|auth-token|access-token|webhook-secret|api-token): {0,3})(?!\{\{)(?=[^\s{}]{0,200}\d|[^\s{}]{20})[^\s{}]{6,512}$/gim,
  // `password: hunter2`, `api_key = "…"`, `the token is …`
  /(?<=\b(?:pass(?:word|phrase|wd)|(?:client|app|api|signing)[ _-]?secret|(?:api|access|private|secret)[ _-]?key|(?:api|access|auth|bearer|refresh)[ _-]?token|token|secret)["']?(?: {0,3}[:=] {0,3}| is )["'`]?)(?=[^\s"'`{}<>()[\],;]{0,100}\d)(?![A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}\b)[^\s"'`{}<>()[\],;]{6,512}/gi,
]

/** The text without what looks like a value, and how many were cut out. */
export function cutSecretLike(text: string): { text: string; cut: number } {
  let cut = 0
  const clean = values.reduce(
    (left, value) =>
      left.replace(value, (found) => {
        // what was cut out already stays as it is
        if (found.includes(cutMark) || cutMark.includes(found)) return found
        cut += 1
        return cutMark
      }),
    text,
  )
  return { text: clean, cut }
}

/** The lines that hold a value, or the mark of one that was cut out. From 1 on. */
export function secretLikeLines(text: string): number[] {
  const { text: clean, cut } = cutSecretLike(text)
  if (cut === 0 && !text.includes(cutMark)) return []
  const lines: number[] = []
  let line = 1
  let from = 0
  for (let at = clean.indexOf(cutMark); at >= 0; at = clean.indexOf(cutMark, at + cutMark.length)) {
    for (; from < at; from += 1) if (clean.charCodeAt(from) === 10) line += 1
    if (lines.at(-1) !== line) lines.push(line)
  }
  return lines
}

/** Every text inside a value of JSON. */
export function withoutSecretLike<T>(value: T): T {
  if (typeof value === 'string') return cutSecretLike(value).text as T
  if (Array.isArray(value)) return value.map((item) => withoutSecretLike(item as unknown)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withoutSecretLike(item)])) as T
}
