// Bytes of an answer: to a file, or to stdout when nobody reads it as text.
import { writeFile } from 'node:fs/promises'
import { CommandFailed } from '../command.ts'
import type { Output } from '../output.ts'

/** A terminal would take bytes for orders. */
export async function writeBytes(bytes: Uint8Array, file: string | undefined, out: Output): Promise<void> {
  if (file !== undefined) {
    await writeFile(file, bytes)
    out.note(`${file}: ${bytes.byteLength} bytes.`)
  } else if (out.isForPeople) {
    throw new CommandFailed('The answer is a file. Give --out FILE, or read stdout in a pipe.')
  } else {
    out.bytes(bytes)
  }
}
