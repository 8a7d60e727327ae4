// One-time codes from a seed (RFC 6238), as apps for phones make them.
import { createHmac } from 'node:crypto'

interface Seed {
  key: Buffer
  algorithm: 'sha1' | 'sha256' | 'sha512'
  digits: number
  periodS: number
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Undefined: it is not base32. */
function base32(text: string): Buffer | undefined {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '').replace(/=+$/, '')
  if (!/^[A-Z2-7]+$/.test(letters)) return undefined
  const bits = Array.from(letters, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? [])
}

/** Reads a seed as sites show it: in base32, or as an otpauth: URL. Undefined: it is neither. */
export function readSeed(text: string): Seed | undefined {
  const url = text.startsWith('otpauth:') ? URL.parse(text) : null
  if (text.startsWith('otpauth:') && url?.host !== 'totp') return undefined
  const given = (name: string, usual: string): string => url?.searchParams.get(name) ?? usual
  const key = base32(given('secret', text))
  const algorithm = given('algorithm', 'SHA1').toLowerCase()
  const [digits, periodS] = [Number(given('digits', '6')), Number(given('period', '30'))]
  const isKnown = ['sha1', 'sha256', 'sha512'].includes(algorithm)
  if (!key || key.length < 8 || !isKnown || ![6, 7, 8].includes(digits) || !(periodS >= 10 && periodS <= 300))
    return undefined
  return { key, algorithm: algorithm as Seed['algorithm'], digits, periodS }
}

export function codeAt({ key, algorithm, digits, periodS }: Seed, at: Date): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at.getTime() / 1000 / periodS)))
  const mac = createHmac(algorithm, key).update(counter).digest()
  const offset = mac.at(-1)! & 0xf
  const code = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits
  return String(code).padStart(digits, '0')
}
