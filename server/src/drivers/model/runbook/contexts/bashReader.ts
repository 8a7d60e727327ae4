// A bash script while it is read: where the reader is, in which quotes and brackets, and what it knows about the current word.
import type { Refuse } from '../template.ts'
import { newCommand, useVariable, type Command } from './bashCommands.ts'
import type { Flows } from './bashFlow.ts'
import type { Heredoc } from './bashRegions.ts'

export interface Word {
  isBegun: boolean
  /** The word without its quotes; each value and each expansion is one character in it. */
  text: string
  /** Its beginning up to the first quote, value or expansion. */
  plain: string
  isPlain: boolean
  /** Values that are part of it, not those in substitutions inside it. */
  holes: number[]
  inBracket: boolean
  /** Its plain beginning holds a [, as in name[1]=. */
  inSubscript: boolean
  hasBrace: boolean
  /** Where its share of the reader's holes and references begins, those in substitutions included. */
  firstHole: number
  firstReference: number
}

export interface Frame {
  kind: 'commands' | 'double' | 'condition' | 'array'
  isClosedByParen: boolean
  /** Why no value is allowed anywhere in it. */
  refusal: string | null
  from: number
  word: Word
  command: Command
  /** The first hole of the current command, and of the pipeline before it. */
  commandHole: number
  pipeHole: number
  inCase: boolean
}

export interface Reader {
  text: string
  positions: number[]
  at: number
  /** Index of the next hole. */
  hole: number
  /** Variables that were expanded so far. */
  references: string[]
  frames: Frame[]
  heredocs: Heredoc[]
  /** Why the rest is not followed. What is not certain is refused, because a wrong guess would let a value out of its quotes. */
  lost: string | null
  flows: Flows
  refuse: Refuse
}

export const insideOf = (what: string, instead = useVariable): string => `inside ${what}. ${instead}`
export const after = (what: string): string => `after ${what}, from where the quoting is not certain. ${useVariable}`

export const newWord = ({ hole, references }: Pick<Reader, 'hole' | 'references'>): Word => ({
  isBegun: false,
  text: '',
  plain: '',
  isPlain: true,
  holes: [],
  inBracket: false,
  inSubscript: false,
  hasBrace: false,
  firstHole: hole,
  firstReference: references.length,
})

export function openFrame(reader: Reader, kind: Frame['kind'], refusal: string | null, isClosedByParen = false): void {
  if (reader.frames.length >= 100) reader.lost = after('so many levels')
  const { at: from, hole } = reader
  const begins = { word: newWord(reader), command: newCommand(), commandHole: hole, pipeHole: hole, inCase: false }
  reader.frames.push({ kind, isClosedByParen, refusal, from, ...begins })
}

export const top = (reader: Reader): Frame => reader.frames.at(-1)!

/** Moves to `end` and refuses every hole before it; -1 means that the reader is lost. */
export function pass(reader: Reader, end: number, why: string, what: string): void {
  if (end === -1) {
    reader.lost = after(what)
    return
  }
  while (reader.hole < reader.positions.length && reader.positions[reader.hole]! < end) {
    reader.refuse(reader.hole, why)
    reader.hole += 1
  }
  if (reader.heredocs.length > 0 && reader.text.slice(reader.at, end).includes('\n')) reader.lost = after('a heredoc')
  reader.at = end
}

export function addText(word: Word, text: string): void {
  word.isBegun = true
  word.text += text
  if (word.isPlain) word.plain += text
}

/** From here on the word is more than what is written. */
export function beginExpansion(word: Word): void {
  word.isBegun = true
  word.isPlain = false
  word.text += '$'
}
