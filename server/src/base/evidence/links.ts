// Linked rows: each row has a digest, and each link takes in the one before, so that no row can be changed, moved or left out unnoticed.
import { hash } from 'node:crypto'

/** How long digests and links are. */
export const linkBytes = 32

/** The link before the first row. */
export const zeroLink: Buffer = Buffer.alloc(linkBytes)

/** The SHA-256 of a row, without its line break. */
export const digestOf = (row: string | Buffer): Buffer => hash('sha256', row, 'buffer')

/** The link after a row that has this digest. */
export const linkAfter = (link: Buffer, digest: Buffer): Buffer => linkOver(link, digest)

/** The link after many rows, whose digests stand one behind the other. */
export function linkOver(link: Buffer, digests: Buffer): Buffer {
  if (link.length !== linkBytes || digests.length % linkBytes !== 0)
    throw new Error('a link and digests have 32 bytes each')
  const both = Buffer.alloc(2 * linkBytes)
  let last = link
  for (let at = 0; at < digests.length; at += linkBytes) {
    last.copy(both, 0)
    digests.copy(both, linkBytes, at, at + linkBytes)
    last = hash('sha256', both, 'buffer')
  }
  return last
}

/** A line of the file beside the rows, and how long each is. */
export const sumLine = (digest: Buffer, link: Buffer): string => `${digest.toString('hex')} ${link.toString('hex')}\n`
export const sumLineBytes = 2 * 2 * linkBytes + 2
