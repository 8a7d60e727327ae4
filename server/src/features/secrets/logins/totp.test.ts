// One-time codes against the values of RFC 6238, and seeds as sites show them.
import assert from 'node:assert/strict'
import { proves } from '../../../../test/kit/proves.ts'
import { codeAt, readSeed } from './totp.ts'

const key = (text: string) => Buffer.from(text)

proves('logins.codes', 'codes are those of RFC 6238, appendix B', () => {
  const keys = {
    sha1: key('12345678901234567890'),
    sha256: key('12345678901234567890123456789012'),
    sha512: key('1234567890123456789012345678901234567890123456789012345678901234'),
  } as const
  const expected: [number, keyof typeof keys, string][] = [
    [59, 'sha1', '94287082'],
    [59, 'sha256', '46119246'],
    [59, 'sha512', '90693936'],
    [1111111109, 'sha1', '07081804'],
    [2000000000, 'sha512', '38618901'],
    [20000000000, 'sha256', '77737706'],
  ]
  for (const [second, algorithm, code] of expected) {
    const seed = { key: keys[algorithm], algorithm, digits: 8, periodS: 30 }
    assert.equal(codeAt(seed, new Date(second * 1000)), code)
  }
})

proves('logins.codes', 'a seed is read in base32 and as an otpauth URL, and nothing else is one', () => {
  const plain = readSeed('jbsw y3dp ehpk 3pxp')
  assert.deepEqual([plain!.algorithm, plain!.digits, plain!.periodS], ['sha1', 6, 30])
  assert.equal(plain!.key.toString('hex'), '48656c6c6f21deadbeef')
  const url = readSeed('otpauth://totp/Shop:ada?secret=JBSWY3DPEHPK3PXP&algorithm=SHA256&digits=8&period=60')
  assert.deepEqual([url!.algorithm, url!.digits, url!.periodS], ['sha256', 8, 60])
  for (const text of [
    '',
    '0189',
    'ABC',
    'otpauth://hotp/a?secret=JBSWY3DPEHPK3PXP',
    'otpauth://totp/a',
    'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP&digits=99',
  ]) {
    assert.equal(readSeed(text), undefined, text)
  }
})
