// What somebody types into the editor of an agent, from the first key to the draft on the server. Nothing typed is lost: it is kept in the
// browser at once, saved as a draft as soon as it has no errors, and never written over what somebody else saved.
import { ApiError, ConflictError, type Build, type BuildConfig } from '@runyard/sdk'
import { isOpenDraft, isSameConfig } from './buildConfig.ts'
import type { LocalCopies } from './localCopies.ts'

export type Phase =
  /** The server has everything. */
  | 'saved'
  /** Changed a moment ago. */
  | 'typing'
  /** It has errors, so the server would refuse it. */
  | 'held'
  | 'saving'
  /** The server did not take it. */
  | 'failed'
  /** Somebody else changed the same draft. */
  | 'conflict'

export interface Working {
  /** The build that it changes, as the server has it. */
  base: Build
  config: BuildConfig
  phase: Phase
  error?: unknown
  /** What somebody else saved since then. */
  theirs?: Build
  /** When the text was kept in this browser that was found there again. */
  restoredFrom?: string
  /** False: this browser keeps nothing, so leaving the page would lose it. */
  isKept: boolean
}

export interface WorkingCopyOptions {
  copies: LocalCopies
  /** Changes a draft, if it is still as it was read. */
  update: (base: Build, config: BuildConfig) => Promise<Build>
  /** Makes a new draft of a build. */
  create: (base: Build, config: BuildConfig) => Promise<Build>
  read: (buildId: string) => Promise<Build>
  onChange: () => void
  /** How long nothing must be typed before it is saved. */
  pauseMs?: number
}

const pauseUnlessGiven = 1200
/** How often a save is tried again that failed for another reason than its text. */
const retryMs = 5000

export class WorkingCopy {
  readonly #options: WorkingCopyOptions
  #now: Working
  #timer: ReturnType<typeof setTimeout> | undefined
  #saving: Promise<Build> | undefined
  /** What the server said last about a config. */
  #verdict: { config: BuildConfig; hasErrors: boolean } | undefined

  constructor(build: Build, options: WorkingCopyOptions) {
    this.#options = options
    this.#now = this.#begin(build)
  }

  get now(): Working {
    return this.#now
  }

  /** Shows another build, or the same one as somebody else has left it. What was typed here is kept. */
  open(build: Build): void {
    const { base, phase } = this.#now
    if (build.id === base.id) {
      if (build.updated_at === base.updated_at) this.learn(build)
      if (build.updated_at <= base.updated_at || phase !== 'saved') return
    } else this.keepNow()
    clearTimeout(this.#timer)
    this.#set(this.#begin(build))
  }

  edit(config: BuildConfig): void {
    const { base, theirs } = this.#now
    clearTimeout(this.#timer)
    if (theirs) this.#set({ ...this.#now, config, isKept: this.#keep(config) })
    else if (isSameConfig(config, base.config)) {
      this.#options.copies.drop(base.id)
      this.#set({ base, config, phase: 'saved', isKept: true })
    } else {
      this.#set({ base, config, phase: 'typing', isKept: this.#keep(config) })
      if (this.#verdict?.config === config) this.checked(config, this.#verdict.hasErrors)
    }
  }

  /** What the server says about this very config: one with errors waits, another is saved after a pause. */
  checked(config: BuildConfig, hasErrors: boolean): void {
    this.#verdict = { config, hasErrors }
    const { phase } = this.#now
    if (config !== this.#now.config || (phase !== 'typing' && phase !== 'held')) return
    clearTimeout(this.#timer)
    if (hasErrors) this.#phase('held')
    else {
      this.#phase('typing')
      this.#saveIn(this.#options.pauseMs ?? pauseUnlessGiven)
    }
  }

  /** Saves what is not saved, and gives the build that has it. It fails where the server refuses. */
  async saveNow(): Promise<Build> {
    clearTimeout(this.#timer)
    const { phase, base } = this.#now
    if (phase === 'saved') return base
    if (phase === 'conflict') throw new Error('Somebody else changed this draft. Decide first which text counts.')
    this.#saving ??= this.#save().finally(() => (this.#saving = undefined))
    const saved = await this.#saving
    // typed on while it was saved
    return this.#now.phase === 'saved' ? this.#now.base : this.#now.phase === 'typing' ? this.saveNow() : saved
  }

  /** Of two texts of one draft, this one becomes a draft of its own. */
  async keepMine(): Promise<Build> {
    const { base, config, theirs } = this.#now
    const made = await this.#options.create(theirs ?? base, config)
    this.#options.copies.drop(base.id)
    this.#set({ base: made, config: this.#now.config, phase: 'saved', isKept: true })
    this.#goOn(config)
    return made
  }

  /** Of two texts of one draft, the other one counts. */
  takeTheirs(): void {
    const { base, theirs } = this.#now
    this.#options.copies.drop(base.id)
    if (theirs) this.#set(this.#begin(theirs))
  }

  /** Forgets what was typed since the last save. */
  revert(): void {
    const { base } = this.#now
    clearTimeout(this.#timer)
    this.#options.copies.drop(base.id)
    this.#set({ base, config: base.config, phase: 'saved', isKept: true })
  }

  /** A name, a status or a builder run that changed without the config. */
  learn(build: Build): void {
    const { base } = this.#now
    if (build.id !== base.id || build === base) return
    this.#set({ ...this.#now, base: { ...build, config: base.config } })
  }

  keepNow(): void {
    if (this.#now.phase !== 'saved') this.#keep(this.#now.config)
  }

  /** Somebody leaves: what waits for its pause is saved at once. */
  stop(): void {
    clearTimeout(this.#timer)
    this.keepNow()
    const { phase, config } = this.#now
    if (phase === 'typing' && this.#verdict?.config === config && !this.#verdict.hasErrors) this.#saveIn(0)
  }

  #begin(build: Build): Working {
    const copy = this.#options.copies.read(build.id)
    if (!copy || isSameConfig(copy.config, build.config)) {
      if (copy) this.#options.copies.drop(build.id)
      return { base: build, config: build.config, phase: 'saved', isKept: true }
    }
    const found = { base: build, config: copy.config, restoredFrom: copy.at, isKept: true }
    return copy.basedOn === build.updated_at || !isOpenDraft(build)
      ? { ...found, phase: 'typing' }
      : { ...found, phase: 'conflict', theirs: build }
  }

  #keep(config: BuildConfig): boolean {
    const { id, updated_at } = this.#now.base
    return this.#options.copies.keep(id, { config, basedOn: updated_at, at: new Date().toISOString() })
  }

  #set(next: Working): void {
    this.#now = next
    this.#options.onChange()
  }

  #phase(phase: Phase): void {
    if (this.#now.phase !== phase) this.#set({ ...this.#now, phase })
  }

  #saveIn(ms: number): void {
    this.#timer = setTimeout(() => {
      this.saveNow().catch(() => {
        // the phase says it; the text is still here
      })
    }, ms)
  }

  async #save(): Promise<Build> {
    const { base, config } = this.#now
    this.#set({ ...this.#now, phase: 'saving', error: undefined })
    try {
      const saved = isOpenDraft(base)
        ? await this.#options.update(base, config)
        : await this.#options.create(base, config)
      this.#options.copies.drop(base.id)
      this.#set({ base: saved, config: this.#now.config, phase: 'saved', isKept: true })
      this.#goOn(config)
      return saved
    } catch (error) {
      if (error instanceof ConflictError && error.code === 'conflict') return this.#meet(error)
      this.#set({ ...this.#now, phase: 'failed', error })
      if (!isRefusal(error)) this.#saveIn(retryMs)
      throw error
    }
  }

  /** What was typed while the save was under way is not saved yet. */
  #goOn(saved: BuildConfig): void {
    const { config } = this.#now
    if (config !== saved) this.edit(config)
  }

  /** Somebody was faster. If the draft was promoted, nobody typed into it: a new draft takes what was typed here. */
  async #meet(error: ConflictError): Promise<Build> {
    const theirs = await this.#options.read(this.#now.base.id)
    if (!isOpenDraft(theirs)) {
      this.#now = { ...this.#now, base: theirs }
      return this.#save()
    }
    this.#set({ ...this.#now, phase: 'conflict', theirs, error })
    throw error
  }
}

/** The server understood and said no: to send the same again would not help. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.status < 500 && error.status !== 429
