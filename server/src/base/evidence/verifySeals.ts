// Checks the seals of a run: their order, their signatures, and that the rows in the bundle are those that were sealed.
import { isRecord } from '../isRecord.ts'
import { readObject } from './boundedObject.ts'
import type { Row } from './bundleBytes.ts'
import { rowsOf, type Contents, type RunInManifest, type Section } from './contents.ts'
import { digestOf, linkAfter, zeroLink } from './links.ts'
import { isCount } from './manifest.ts'
import type { Problem } from './problems.ts'
import { readSeal, SealSignatures, type ReadSeal } from './seal.ts'
import { lateText, latest, remarkUnsealed, timeOf } from './sealRemarks.ts'
import { verifyMessages } from './verifyMessages.ts'

export interface SealedRun {
  id: string
  erased: string[]
  seals: number
  /** How many of them nobody signed yet. */
  unsigned: number
  /** How many rows no signed seal holds. */
  unsealed: Record<Section, number>
}

export async function verifySeals(run: RunInManifest, contents: Contents): Promise<SealedRun> {
  const log = new SealedLog(run, contents)
  const path = `${run.folder}seals.jsonl`
  const seals = rowsOf(contents, path)
  const found = { id: run.id, erased: run.erased, seals: 0, unsigned: 0 }
  for await (const { bytes: row } of seals) {
    found.seals += 1
    // what is wrong with the rows themselves is known already
    if (contents.problems.wrongFiles.has(path)) continue
    const seal = row && readSeal(row)
    const where = `${path} row ${found.seals}`
    const notOne = { where, what: 'It is not a seal of the format runyard-seal-1.' }
    const problems = seal ? await log.check(seal, where) : [notOne]
    for (const problem of problems) contents.problems.add(problem.where, problem.what)
    if (seal?.signature === null) found.unsigned += 1
    // the next ones stand on this one
    if (problems.length > 0) break
  }
  await seals.return(undefined)
  await log.end()
  const messages = await verifyMessages(run, contents, log.signed.events)
  const unsealed = { ...rowsBehind(run, contents, log.signed), messages: messages.unheld }
  const isSigned = found.seals > found.unsigned
  remarkUnsealed(run, contents.remarks, { ...log.signed, isSigned, firstMessage: messages.first }, unsealed)
  return { ...found, unsealed }
}

function rowsBehind({ folder }: RunInManifest, { rows }: Contents, signed: Record<'events' | 'steps', number>) {
  const behind = (section: 'events' | 'steps') =>
    Math.max(0, (rows.get(`${folder}${section}.jsonl`) ?? 0) - signed[section])
  return { events: behind('events'), steps: behind('steps') }
}

/** The rows of a run as far as the seals have been checked. */
class SealedLog {
  readonly #run: RunInManifest
  readonly #contents: Contents
  readonly #signatures = new SealSignatures()
  readonly #events: LinkedRows
  readonly #steps: LinkedRows
  readonly #messages: CutMessages
  #number = 0
  #head: string | null = null
  #signedAt = 0
  /** When the last of the rows was written that are checked so far; undefined if no row says it. */
  #lastAt: number | undefined
  /** How many rows the last signed seal holds. */
  signed = { events: 0, steps: 0 }

  constructor(run: RunInManifest, contents: Contents) {
    const rows = (section: Section) => rowsOf(contents, `${run.folder}${section}.jsonl`)
    this.#run = run
    this.#contents = contents
    this.#events = new LinkedRows(rows('events'))
    this.#steps = new LinkedRows(rows('steps'))
    this.#messages = new CutMessages(rows('messages'))
  }

  /** What does not fit: of the seal itself, or, if it is in order, of what it was made over. */
  async check(seal: ReadSeal, where: string): Promise<Problem[]> {
    const own = [
      seal.runId !== this.#run.id && `It is a seal of the run ${seal.runId.slice(0, 80)}.`,
      seal.number !== this.#number + 1 && `Its number is ${seal.number}, and it stands as number ${this.#number + 1}.`,
      seal.before !== this.#head && 'The seal that it names as the one before it is another.',
      this.#signatureProblem(seal),
    ].filter((problem) => typeof problem === 'string')
    this.#number = seal.number
    this.#head = seal.head
    if (own.length > 0) return own.map((what) => ({ where, what }))
    const sealed = [
      this.#configProblem(seal),
      await this.#rowsProblem('events', this.#events, seal),
      await this.#rowsProblem('steps', this.#steps, seal),
      await this.#messagesProblem(seal),
    ]
    const problems = sealed.filter((problem) => problem !== undefined)
    if (problems.length === 0 && seal.signature !== null) this.#noteSigned(seal, where)
    return problems
  }

  #noteSigned({ events, steps }: ReadSeal, where: string): void {
    this.signed = { events: events.rows, steps: steps.rows }
    const late = lateText(this.#signedAt, this.#lastAt)
    if (late !== undefined) this.#contents.remarks.add(where, late)
  }

  async end(): Promise<void> {
    await Promise.all([this.#events.end(), this.#steps.end(), this.#messages.end()])
  }

  #isWrong = (name: string): boolean => this.#contents.problems.wrongFiles.has(`${this.#run.folder}${name}`)

  #isErased = (section: string): boolean => this.#run.erased.includes(section)

  #problem(name: string, what: string): Problem {
    return { where: `${this.#run.folder}${name}`, what }
  }

  #configProblem({ configSha256, number }: ReadSeal): Problem | undefined {
    const sha256 = this.#contents.sha256.get(`${this.#run.folder}config.json`)
    // a build that is gone leaves only this hash of its config; a file that was taken out of a bundle is missed by the manifest
    if (sha256 === undefined || sha256 === configSha256 || this.#isWrong('config.json')) return undefined
    return this.#problem('config.json', `It is not what seal ${number} was made over.`)
  }

  #signatureProblem(seal: ReadSeal): string | false {
    if (seal.signature === null) return false
    const { keys, signers } = this.#contents
    const signer = this.#signatures.check(seal, seal.signature)
    if (typeof signer === 'string') return signer
    this.#signedAt = signer.at
    if (signers.size < signersMax) signers.add(signer.keyId)
    const isKnown = !keys || keys.some((key) => key.equals(signer.publicKey))
    return !isKnown && `It is signed with the key ${signer.keyId}, which is not the given one.`
  }

  async #rowsProblem(
    section: 'events' | 'steps',
    linked: LinkedRows,
    { number, [section]: sealed }: ReadSeal,
  ): Promise<Problem | undefined> {
    const file = `${section}.jsonl`
    // a file that is wrong was reported with its first row
    if (this.#isErased(section) || this.#isWrong(file)) return undefined
    const from = linked.count + 1
    if (sealed.rows < linked.count)
      return this.#problem(file, `Seal ${number} has fewer rows of it than the one before.`)
    if (!(await linked.moveTo(sealed.rows, (row) => this.#noteRow(section, row))))
      return this.#problem(
        `${file} row ${linked.count + 1}`,
        `It is missing: seal ${number} was made over ${sealed.rows} rows.`,
      )
    if (linked.link.toString('hex') === sealed.link) return undefined
    const rows = `${file} rows ${Math.min(from, sealed.rows)} to ${sealed.rows}`
    return this.#problem(rows, `They are not what seal ${number} was made over.`)
  }

  /** Where the events are erased, the steps say when the run was. */
  #noteRow(section: 'events' | 'steps', row: Buffer): void {
    if (section === 'events') this.#messages.noteCut(row)
    if (section === 'events' || this.#isErased('events')) this.#lastAt = latest(this.#lastAt, timeOf(section, row))
  }

  async #messagesProblem({ number, messages: sealed }: ReadSeal): Promise<Problem | undefined> {
    const isKnown = (['events', 'messages'] as const).every(
      (section) => !this.#isErased(section) && !this.#isWrong(`${section}.jsonl`),
    )
    if (!isKnown) return undefined
    if (!(await this.#messages.link()))
      return this.#problem('events.jsonl', 'More messages are cut in it than a bundle can have.')
    if (this.#messages.count === sealed.rows && this.#messages.linkText === sealed.link) return undefined
    return this.#problem('messages.jsonl', `The rows whose events are cut are not what seal ${number} was made over.`)
  }
}

const signersMax = 100

class LinkedRows {
  count = 0
  link = zeroLink
  readonly #rows: AsyncGenerator<Row>

  constructor(rows: AsyncGenerator<Row>) {
    this.#rows = rows
  }

  /** False if there are fewer rows. */
  async moveTo(count: number, onRow?: (row: Buffer) => void): Promise<boolean> {
    while (this.count < count) {
      const { value, done } = await this.#rows.next()
      if (done || !value.bytes) return false
      this.count += 1
      this.link = linkAfter(this.link, digestOf(value.bytes))
      onRow?.(value.bytes)
    }
    return true
  }

  end = async (): Promise<unknown> => this.#rows.return(undefined)
}

/** An event has the whole of a small message, so only those that are cut there are linked by themselves. */
class CutMessages {
  count = 0
  #link = zeroLink
  readonly #rows: AsyncGenerator<Row>
  /** The numbers of messages that are cut in events, and not linked yet. */
  #cut = new Set<number>()
  /** The next row, when it was read and is behind what was linked. */
  #next: { seq: number; digest: Buffer } | undefined

  constructor(rows: AsyncGenerator<Row>) {
    this.#rows = rows
  }

  get linkText(): string {
    return this.#link.toString('hex')
  }

  /** Notes which messages are cut in a row of events. */
  noteCut(row: Buffer): void {
    // most rows have none, and need not be parsed for that
    if (!row.includes('"truncated"')) return
    const events = readObject(row)?.['events']
    for (const event of Array.isArray(events) ? events : []) {
      const message = isRecord(event) ? event['message'] : undefined
      if (isRecord(message) && message['truncated'] === true && isCount(message['seq'])) this.#cut.add(message['seq'])
      if (this.#cut.size > cutMax) return
    }
  }

  /** Links the rows of the messages that were noted. Rows stand in the order of their numbers. False if they are too many. */
  async link(): Promise<boolean> {
    if (this.#cut.size > cutMax) return false
    let last = -1
    for (const seq of this.#cut) last = Math.max(last, seq)
    for (;;) {
      this.#next ??= await this.#read()
      if (!this.#next || this.#next.seq > last) break
      if (this.#cut.has(this.#next.seq)) {
        this.#link = linkAfter(this.#link, this.#next.digest)
        this.count += 1
      }
      this.#next = undefined
    }
    this.#cut = new Set()
    return true
  }

  async #read(): Promise<{ seq: number; digest: Buffer } | undefined> {
    const { value, done } = await this.#rows.next()
    const seq = done || !value.bytes ? undefined : readObject(value.bytes)?.['seq']
    return isCount(seq) && value.bytes ? { seq, digest: digestOf(value.bytes) } : undefined
  }

  end = async (): Promise<unknown> => this.#rows.return(undefined)
}

/** A message is cut from 16 KiB on: 4 GiB of events have fewer. */
const cutMax = 300_000
