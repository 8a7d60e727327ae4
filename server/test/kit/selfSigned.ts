// Certificates for servers of tests, made when they are needed.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export interface Identity {
  key: string
  cert: string
}

/** A DER element (X.690 §8.1): tag, length, contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents)
  const { length } = body
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), body])
}

/** A self-signed certificate (RFC 5280 §4.1) for a name and, unless told otherwise, 127.0.0.1, made here so that no key lies in the repository. */
export function selfSigned(name: string, { isForAddress = true } = {}): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'))
  const algorithm = der(0x30, oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const subject = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(name)))))
  const validity = der(0x30, der(0x17, Buffer.from('240101000000Z')), der(0x17, Buffer.from('490101000000Z')))
  const names = der(
    0x30,
    der(0x82, Buffer.from(name)),
    ...(isForAddress ? [der(0x87, Buffer.from([127, 0, 0, 1]))] : []),
  )
  const isAuthority = der(0x30, der(0x01, Buffer.from([255])))
  const extensions = der(
    0x30,
    der(0x30, oid('551d11'), der(0x04, names)), // subjectAltName
    der(0x30, oid('551d13'), der(0x01, Buffer.from([255])), der(0x04, isAuthority)), // basicConstraints
  )
  const contents = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.from([1]), randomBytes(7)), // serial number
    algorithm,
    subject,
    validity,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', contents, privateKey))
  const certificate = der(0x30, contents, algorithm, signature)
    .toString('base64')
    .replaceAll(/.{64}(?=.)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
  }
}
