// The Content-Disposition header (RFC 6266): how a browser treats a file, and the name under which it saves it.

/** How long a name may be: file systems take 255 bytes. */
const nameLengthMax = 200

/**
 * A name may have been chosen by anybody. Slashes would make it a path, control characters would break the header, and signs that turn the
 * direction of writing would hide its ending ("gpj.exe" for "exe.jpg"); each becomes an underscore.
 */
const unsafe = /[\p{Cc}/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Writes the name twice: in ASCII for old readers, and whole as RFC 8187 spells it. */
export function contentDisposition(how: 'inline' | 'attachment', name: string): string {
  const safe = name.slice(0, nameLengthMax).toWellFormed().replace(unsafe, '_')
  const plain = safe.replace(/[^\x20-\x7e]|["%]/g, '_')
  const whole = encodeURIComponent(safe).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${how}; filename="${plain}"; filename*=UTF-8''${whole}`
}
