// Reads a JSON text of any size in short steps: JSON.parse gets it in pieces, and its result is put together from theirs.
//
// JSON.parse is fast, but nothing can interrupt it: 1.4 MB of small objects, each with another field name, take it 0.15 s, and 16 MB more
// than a second. Nobody else is served during that time. So one pass over the bytes finds the commas at which the text can be cut. The same
// pass refuses what is too deep or has too many parts.
import { isUtf8 } from 'node:buffer'
import { mustHave } from './mustHave.ts'
import type { Steps } from './steps.ts'

export const depthMax = 64
/** A list of one-digit numbers, each in its own list, has one list every four bytes; no sensible document comes near this bound. */
const containersMax = 500_000
/** An object with more fields takes too long to grow: all of its fields move to a larger table at once. */
const fieldsMax = 100_000
/** A piece is this long, and whole up to the next comma. The worst piece takes about 2 ms. */
const pieceBytes = 16 * 1024
/** How many bytes one step looks at, when there is no comma to cut at. */
const windowBytes = 256 * 1024

/** The text has a shape that is refused. */
export class JsonRefused extends SyntaxError {}

interface JsonRead {
  value: unknown
  /** True when no string can hold a NUL or half of a surrogate pair, and no number can be out of range: the value need not be searched. */
  isPlain: boolean
}

const quote = 0x22
const comma = 0x2c
const zero = 0x30
const nine = 0x39
const listOpen = 0x5b
const backslash = 0x5c
const listClose = 0x5d
const objectOpen = 0x7b
const objectClose = 0x7d

/** An open container of which some members are parsed already. */
interface Frame {
  value: unknown[] | Record<string, unknown>
  isList: boolean
  fields: number
  /** The index of the first byte that is not parsed yet. */
  from: number
  /** The last member was such a container too, so that a comma or the end must follow. */
  isAfterChild: boolean
}

/** Reads the text; a SyntaxError says what is wrong with it. */
export function* readJsonInSteps(bytes: Uint8Array, pieceMax = pieceBytes): Steps<JsonRead> {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not valid UTF-8')
  const reader = new JsonReader(bytes, pieceMax)
  while (!reader.isAtEnd) {
    reader.readOn()
    yield
  }
  return { value: reader.end(), isPlain: reader.isPlain }
}

/** Refuses a text that is nested too deep or has too many parts; whether it is JSON is for the parser to say. */
export function checkShape(bytes: Uint8Array): void {
  const reader = new JsonReader(bytes, Number.POSITIVE_INFINITY)
  while (!reader.isAtEnd) reader.readOn()
}

class JsonReader {
  isPlain = true
  readonly #text: Buffer
  readonly #pieceBytes: number
  #at = 0
  #depth = 0
  #isInString = false
  #containers = 0
  /** For each depth: where the bracket of each open container is, and where its current member begins. */
  readonly #opens = new Int32Array(depthMax + 1)
  readonly #members = new Int32Array(depthMax + 1)
  /** The outermost open containers, as far as they are parsed. */
  readonly #frames: Frame[] = []
  #cutAt = 0
  /** The whole value, once it is begun in pieces, and where its text ended. */
  #whole: Frame['value'] | undefined
  #wholeEnd: number | undefined

  constructor(bytes: Uint8Array, pieceMax: number) {
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#pieceBytes = pieceMax
    const startsWithMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    if (startsWithMark) this.#text = this.#text.subarray(3)
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Reads until a piece was parsed, or to the end of a window. */
  readOn(): void {
    const bytes = this.#text
    const end = Math.min(bytes.length, this.#at + windowBytes)
    let at = this.#isInString ? this.#passString(this.#at, end) : this.#at
    let depth = this.#depth
    let isCut = false
    for (; at < end && !isCut; at++) {
      const byte = bytes[at] ?? 0
      if (byte === quote) at = this.#passString(at + 1, end) - 1
      else if (byte === comma) {
        if (depth === this.#frames.length && depth > 0) this.#endMember(at)
        if (depth > 0 && at - this.#cutAt >= this.#pieceBytes) {
          this.#cut(at, depth)
          isCut = true
        }
        this.#members[depth] = at + 1
      } else if (byte === listOpen || byte === objectOpen) {
        depth += 1
        this.#open(at, depth)
      } else if (byte === listClose || byte === objectClose) {
        if (depth > 0 && depth === this.#frames.length) this.#close(at, byte)
        depth -= 1
      } else if (byte >= zero && byte <= nine) at = this.#passNumber(at, end)
    }
    this.#at = at
    this.#depth = depth
  }

  /** The value of the text, all of which was read. */
  end(): unknown {
    if (this.#whole === undefined) return JSON.parse(this.#text.toString())
    if (this.#wholeEnd === undefined) throw new SyntaxError('it ends before it is complete')
    this.#requireBlank(this.#wholeEnd, this.#text.length)
    return this.#whole
  }

  /** Answers the index after the string, or `end` if it continues beyond. */
  #passString(from: number, end: number): number {
    const bytes = this.#text
    let at = from
    for (; at < end && bytes[at] !== quote; at++) {
      if (bytes[at] !== backslash) continue
      at++
      if (this.isPlain && bytes[at] === 0x75) this.isPlain = isPlainEscape(bytes, at)
    }
    this.#isInString = at >= end
    return at + (this.#isInString ? 0 : 1)
  }

  /** Answers the index of the last digit. A number that is out of range has an exponent, or more than 300 digits. */
  #passNumber(from: number, end: number): number {
    const bytes = this.#text
    let at = from
    for (; at + 1 < end && isInNumber(bytes[at + 1] ?? 0); at++) if (isE(bytes[at + 1] ?? 0)) this.isPlain = false
    if (at - from > 300 || at + 1 === end) this.isPlain = false
    return at
  }

  #open(at: number, depth: number): void {
    if (depth > depthMax) throw new JsonRefused(`it is nested deeper than ${depthMax} levels`)
    this.#containers += 1
    if (this.#containers > containersMax) {
      throw new JsonRefused(`it holds more than ${containersMax} objects and lists`)
    }
    this.#opens[depth] = at
    this.#members[depth] = at + 1
  }

  /** A comma in the innermost container that is parsed in pieces: after a member that was one too, nothing else may stand before it. */
  #endMember(at: number): void {
    const frame = mustHave(this.#frames.at(-1), 'the container around it')
    if (!frame.isAfterChild) return
    this.#requireBlank(frame.from, at)
    frame.isAfterChild = false
    frame.from = at + 1
  }

  /** The text is parsed up to this comma. All open containers are begun. */
  #cut(at: number, depth: number): void {
    while (this.#frames.length < depth) this.#beginNext()
    const frame = mustHave(this.#frames.at(-1), 'the container around it')
    if (frame.from <= at) this.#take(frame, at)
    frame.from = at + 1
    this.#cutAt = at
  }

  /** Begins the outermost container that is not begun yet, as the current member of the one around it. */
  #beginNext(): void {
    const depth = this.#frames.length + 1
    const at = this.#opens[depth] ?? 0
    const isList = this.#text[at] === listOpen
    const value: Frame['value'] = isList ? [] : {}
    const parent = this.#frames.at(-1)
    if (!parent) {
      if (this.#whole !== undefined) throw unexpected(at)
      this.#requireBlank(0, at)
      this.#whole = value
    } else {
      if (parent.isAfterChild) throw unexpected(at)
      const memberAt = this.#members[depth - 1] ?? 0
      if (parent.from < memberAt) this.#take(parent, memberAt - 1)
      if (Array.isArray(parent.value)) {
        this.#requireBlank(memberAt, at)
        parent.value.push(value)
      } else this.#setField(parent, this.#nameBetween(memberAt, at), value)
    }
    this.#frames.push({ value, isList, fields: 0, from: at + 1, isAfterChild: false })
  }

  /** The closing bracket of the innermost container that is parsed in pieces. */
  #close(at: number, byte: number): void {
    const frame = mustHave(this.#frames.pop(), 'the container that ends')
    if (frame.isList !== (byte === listClose)) throw unexpected(at)
    if (frame.isAfterChild) this.#requireBlank(frame.from, at)
    else this.#take(frame, at)
    const parent = this.#frames.at(-1)
    if (!parent) this.#wholeEnd = at + 1
    else {
      parent.from = at + 1
      parent.isAfterChild = true
    }
    this.#cutAt = at
  }

  /** Parses the members up to `end` and adds them; there is at least one, since a comma stands before or after them. */
  #take(frame: Frame, end: number): void {
    const text = this.#text.toString('utf8', frame.from, end)
    if (Array.isArray(frame.value)) {
      const items = this.#parse(`[${text}]`, frame.from) as unknown[]
      if (items.length === 0) throw unexpected(end)
      for (const item of items) frame.value.push(item)
      return
    }
    const fields = Object.entries(this.#parse(`{${text}}`, frame.from) as object)
    if (fields.length === 0) throw unexpected(end)
    for (const [name, value] of fields) this.#setField(frame, name, value)
  }

  #setField(frame: Frame, name: string, value: unknown): void {
    frame.fields += 1
    if (frame.fields > fieldsMax) throw new JsonRefused(`an object in it has more than ${fieldsMax} fields`)
    // an assignment would change the object's prototype; JSON.parse makes an ordinary field of it
    if (name !== '__proto__') (frame.value as Record<string, unknown>)[name] = value
    else Object.defineProperty(frame.value, name, { value, writable: true, enumerable: true, configurable: true })
  }

  /** Reads the field name and the colon before a member. */
  #nameBetween(from: number, to: number): string {
    const [name] = Object.keys(this.#parse(`{${this.#text.toString('utf8', from, to)}[]}`, from) as object)
    if (name === undefined) throw unexpected(to)
    return name
  }

  #parse(text: string, from: number): unknown {
    try {
      return JSON.parse(text)
    } catch (error) {
      // the parser counts from the start of its piece
      const says = (error as SyntaxError).message.replace(/ (?:in JSON )?at position .*$/s, '')
      throw new SyntaxError(`${says}, after byte ${from}`, { cause: error })
    }
  }

  #requireBlank(from: number, to: number): void {
    for (let at = from; at < to; at++) if (!isBlank(this.#text[at] ?? 0)) throw unexpected(at)
  }
}

const unexpected = (at: number) => new SyntaxError(`unexpected character at byte ${at}`)

/** `at` is the index of the u of an escape. Answers whether the escape is neither a NUL nor a surrogate. */
function isPlainEscape(bytes: Uint8Array, at: number): boolean {
  const [first = 0, second = 0] = [bytes[at + 1], bytes[at + 2]]
  if (first === zero) return second !== zero || bytes[at + 3] !== zero || bytes[at + 4] !== zero
  return (first | 0x20) !== 0x64 || second < 0x38
}

const isE = (byte: number): boolean => (byte | 0x20) === 0x65

const isInNumber = (byte: number): boolean => (byte >= zero && byte <= nine) || byte === 0x2e || isE(byte)

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
