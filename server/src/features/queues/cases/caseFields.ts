// What a caller may set of a case, when it is made and when it is changed.
import { oneOf, Type } from '../../../kit/schema.ts'
import { priorities } from '../../../kit/states.ts'

const dataBytesMax = 256 * 1024

export const caseFields = {
  title: Type.String({ minLength: 1, maxLength: 500, examples: ['Invoice 4711'] }),
  data: Type.String({
    maxLength: dataBytesMax,
    description: 'What the case is about, as text (JSON if you like), at most 256 KiB of UTF-8.',
    examples: ['{"amount": 120.5}'],
  }),
  priority: oneOf(priorities, { description: 'Cases with a higher priority are dispatched first.' }),
}

/** Limits the bytes too: the schema counts characters, and a character has up to four bytes. */
export const isTooLarge = (data: string | undefined): boolean =>
  data !== undefined && Buffer.byteLength(data) > dataBytesMax

export const tooLarge = (field: string): string =>
  `${field} is larger than 256 KiB. Keep large things elsewhere and put a reference here.`

/** The size of a case as a team's storage counts it. */
export const bytesOfCase = ({ title, data = '' }: { title: string; data?: string }): number =>
  Buffer.byteLength(title) + Buffer.byteLength(data)
