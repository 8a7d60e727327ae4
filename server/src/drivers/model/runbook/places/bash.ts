// Finds the holes of a bash script where a single-quoted word would not be exactly one literal word.
import type { Drawing, Refuse } from '../template.ts'
import { addWord, judge, newCommand, useVariable, type Command } from './bashCommands.ts'
import {
  endOfArithmetic,
  endOfEscaped,
  endOfHeredoc,
  endOfOldArithmetic,
  endOfParameter,
  endOfSingleQuotes,
  readHeredoc,
  type Heredoc,
} from './bashRegions.ts'

interface Word {
  isBegun: boolean
  /** Without its quotes; values and expansions stand in it as one sign. */
  text: string
  /** Its beginning up to the first quote, value or expansion. */
  plain: string
  isPlain: boolean
  holes: number[]
  inBracket: boolean
  hasBrace: boolean
}

interface Frame {
  kind: 'commands' | 'double' | 'condition' | 'array'
  isClosedByParen: boolean
  /** Why no value may stand in it, wherever. */
  refusal: string | null
  word: Word
  command: Command
  inCase: boolean
}

interface Reader {
  text: string
  positions: number[]
  at: number
  /** Index of the next hole. */
  hole: number
  frames: Frame[]
  heredocs: Heredoc[]
  /** Why the rest is not followed any more: whatever is not certain is refused, for a wrong guess would let a value out of its quotes. */
  lost: string | null
  assigning: number[]
  hasTypedVariables: boolean
  refuse: Refuse
}

const inDouble = `in double quotes. Close them before it: "text "{{ … }}" text".`
const insideOf = (what: string): string => `inside ${what}. ${useVariable}`
const after = (what: string): string => `after ${what}, from where the quoting is not certain. ${useVariable}`

export function checkBash({ text, positions }: Drawing, refuse: Refuse): void {
  if (positions.length === 0) return
  const refused = new Set<number>()
  const refuseOnce: Refuse = (hole, why) => {
    if (!refused.has(hole)) refuse(hole, why)
    refused.add(hole)
  }
  const reader: Reader = {
    text,
    positions,
    at: 0,
    hole: 0,
    frames: [newFrame('commands', null)],
    heredocs: [],
    lost: text.includes('BASH_ALIASES') ? after('BASH_ALIASES') : null,
    assigning: [],
    hasTypedVariables: false,
    refuse: refuseOnce,
  }
  while (reader.at < text.length && reader.lost === null) step(reader)
  if (reader.lost !== null) pass(reader, text.length, reader.lost)
  else if (top(reader).kind === 'commands') endWord(reader, top(reader))
  if (!reader.hasTypedVariables) return
  const why = `in a script with typed variables (declare -i, -n), where an assignment can be computed. Give it as an argument, e.g. set -- {{ … }}.`
  for (const hole of reader.assigning) refuseOnce(hole, why)
}

const newWord = (): Word => ({
  isBegun: false,
  text: '',
  plain: '',
  isPlain: true,
  holes: [],
  inBracket: false,
  hasBrace: false,
})

function newFrame(kind: Frame['kind'], refusal: string | null, isClosedByParen = false): Frame {
  return { kind, isClosedByParen, refusal, word: newWord(), command: newCommand(), inCase: false }
}

const top = (reader: Reader): Frame => reader.frames.at(-1)!

function push(reader: Reader, frame: Frame): void {
  if (reader.frames.length >= 100) reader.lost = after('so many levels')
  reader.frames.push(frame)
}

/** Moves on to `end`, refusing every hole before it; -1 is lost. */
function pass(reader: Reader, end: number, why: string, what = why): void {
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

function step(reader: Reader): void {
  const frame = top(reader)
  const sign = reader.text[reader.at]!
  if (reader.positions[reader.hole] === reader.at) takeHole(reader, frame)
  else if (sign === '\\') takeEscaped(reader, frame)
  else if (sign === '`') takeRegion(reader, endOfEscaped(reader.text, reader.at + 1, '`'), insideOf('backticks'))
  else if (sign === '$') takeDollar(reader, frame)
  else if (sign === '"') takeDouble(reader, frame)
  else if (frame.kind === 'double') takeSign(reader, frame.word, sign)
  else if (sign === "'") takeSingle(reader, frame)
  else if (frame.kind === 'commands') stepInCommands(reader, frame, sign)
  else stepInList(reader, frame, sign)
}

function stepInCommands(reader: Reader, frame: Frame, sign: string): void {
  if (sign === ' ' || sign === '\t') endWord(reader, frame)
  else if (sign === '&' && reader.text[reader.at + 1] === '>') endWord(reader, frame)
  else if (sign === '\n') return takeLineFeed(reader, frame)
  else if (';&|'.includes(sign)) endCommand(reader, frame)
  else if (sign === '#' && !frame.word.isBegun) return takeComment(reader)
  else if (sign === '(') return openParen(reader, frame)
  else if (sign === ')') return closeParen(reader, frame)
  else if (sign === '<' || sign === '>') return takeRedirection(reader, frame, sign)
  else return takeSign(reader, frame.word, sign)
  // a word that opened a frame leaves the sign after it to that frame
  if (top(reader) === frame) reader.at += 1
}

/** Inside [[ ]] and name=( ), where no value may stand: only the end is looked for. */
function stepInList(reader: Reader, frame: Frame, sign: string): void {
  const what = frame.kind === 'array' ? 'a list like this' : 'a test like this'
  if (' \t\n;&|<>()'.includes(sign)) {
    const ended = frame.word
    frame.word = newWord()
    if (frame.kind === 'condition' && ended.isPlain && ended.text === ']]') {
      reader.frames.pop()
      return
    }
    if (frame.kind === 'condition' && ended.text === '=~') reader.lost = after('=~')
    if (frame.kind === 'array' && sign === ')') {
      reader.frames.pop()
      beginExpansion(top(reader).word)
    } else if (frame.kind === 'array' && !' \t\n'.includes(sign)) reader.lost = after(what)
    if (sign === '\n' && reader.heredocs.length > 0) reader.lost = after('a heredoc')
    reader.at += 1
  } else if (sign === '#' && !frame.word.isBegun) reader.lost = after(what)
  else takeSign(reader, frame.word, sign)
}

function takeSign(reader: Reader, word: Word, sign: string): void {
  addText(word, sign)
  if (sign === '[') word.inBracket = true
  else if (sign === ']') word.inBracket = false
  else if (sign === '{') {
    word.hasBrace = true
    for (const hole of word.holes) reader.refuse(hole, insideOf('a word with { }'))
  }
  reader.at += 1
}

function addText(word: Word, text: string): void {
  word.isBegun = true
  word.text += text
  if (word.isPlain) word.plain += text
}

/** From here on the word is more than what is written. */
function beginExpansion(word: Word): void {
  word.isBegun = true
  word.isPlain = false
  word.text += '$'
}

function takeHole(reader: Reader, frame: Frame): void {
  const hole = reader.hole
  const { word } = frame
  let refusal = frame.refusal
  if (refusal === null && word.inBracket) refusal = insideOf('[ ]')
  if (refusal === null && word.hasBrace) refusal = insideOf('{ }')
  if (refusal === null) {
    const verdict = judge(frame.command, word.plain)
    refusal = verdict.refusal
    if (verdict.assigns) reader.assigning.push(hole)
  }
  if (refusal !== null) reader.refuse(hole, refusal)
  word.holes.push(hole)
  beginExpansion(word)
  reader.hole += 1
  reader.at += 1
}

function takeEscaped(reader: Reader, frame: Frame): void {
  const next = reader.text[reader.at + 1] ?? ''
  if (reader.positions[reader.hole] === reader.at + 1) {
    reader.refuse(reader.hole, `after a backslash. ${useVariable}`)
    reader.hole += 1
  }
  if (next === '\n' && reader.heredocs.length > 0) reader.lost = after('a heredoc')
  if (next !== '\n') {
    frame.word.isPlain = false
    addText(frame.word, next)
  }
  reader.at += 2
}

function takeSingle(reader: Reader, { word }: Frame): void {
  const from = reader.at + 1
  const end = endOfSingleQuotes(reader.text, from)
  word.isPlain = false
  addText(word, reader.text.slice(from, end - 1))
  pass(reader, end, `in single quotes. Close them before it: 'text '{{ … }}' text'.`)
}

function takeDouble(reader: Reader, frame: Frame): void {
  reader.at += 1
  if (frame.kind !== 'double') {
    frame.word.isPlain = false
    push(reader, newFrame('double', frame.refusal ?? inDouble))
    return
  }
  reader.frames.pop()
  addText(top(reader).word, frame.word.text)
}

function takeRegion(reader: Reader, end: number, why: string): void {
  beginExpansion(top(reader).word)
  pass(reader, end, why, 'an expansion like this')
}

function takeDollar(reader: Reader, frame: Frame): void {
  const { text, at } = reader
  const next = text[at + 1] ?? ''
  if (reader.positions[reader.hole] === at + 1) {
    beginExpansion(frame.word)
    pass(reader, at + 2, `right after $, where bash would read it differently. Take the $ away.`)
  } else if (next === '{') takeRegion(reader, endOfParameter(text, at + 2), insideOf('${ }'))
  else if (next === '(' && text[at + 2] === '(') takeRegion(reader, endOfArithmetic(text, at + 3), insideOf('$(( ))'))
  else if (next === '[') takeRegion(reader, endOfOldArithmetic(text, at + 2), insideOf('$[ ]'))
  else if (next === '(') {
    beginExpansion(frame.word)
    push(reader, newFrame('commands', frame.refusal, true))
    reader.at += 2
  } else if (next === "'" && frame.kind !== 'double') {
    takeRegion(reader, endOfEscaped(text, at + 2, "'"), insideOf("$' '"))
  } else {
    beginExpansion(frame.word)
    // $$ and its like are whole: the second sign begins nothing
    reader.at += next !== '' && '$!?#*@-'.includes(next) ? 2 : 1
  }
}

function takeComment(reader: Reader): void {
  if (reader.frames.length > 1) {
    reader.lost = after('a comment inside ( )')
    return
  }
  const feed = reader.text.indexOf('\n', reader.at)
  const end = feed === -1 ? reader.text.length : feed
  pass(reader, end, 'in a comment, which a value with a line break would end. Take it out.')
}

function openParen(reader: Reader, frame: Frame): void {
  const { text, at } = reader
  const { word } = frame
  if (!word.isBegun && text[at + 1] === '(') {
    takeRegion(reader, endOfArithmetic(text, at + 2), insideOf('(( ))'))
  } else if (!word.isBegun) {
    push(reader, newFrame('commands', frame.refusal, true))
    reader.at += 1
  } else if (word.isPlain && /^[A-Za-z_]\w*\+?=$/.test(word.text)) {
    push(reader, newFrame('array', insideOf('name=( )')))
    reader.at += 1
  } else if (text[at + 1] === ')') {
    frame.word = newWord()
    endCommand(reader, frame)
    reader.at += 2
  } else reader.lost = after('a parenthesis inside a word')
}

function closeParen(reader: Reader, frame: Frame): void {
  endCommand(reader, frame)
  if (frame.isClosedByParen && top(reader) === frame) {
    reader.frames.pop()
    // a substitution is part of a word that goes on; a subshell, or the pattern of a case, ends a command
    if (!top(reader).word.isBegun) top(reader).command = newCommand()
  } else if (!frame.inCase) reader.lost = after('a closing parenthesis')
  reader.at += 1
}

function takeRedirection(reader: Reader, frame: Frame, sign: string): void {
  const { text, at } = reader
  if (text[at + 1] === '(') {
    beginExpansion(frame.word)
    push(reader, newFrame('commands', frame.refusal, true))
    reader.at += 2
    return
  }
  // `2>` and `{name}>` say which channel: no words of the command
  if (frame.word.isPlain && /^(?:\d+|\{\w+\})$/.test(frame.word.text)) frame.word = newWord()
  else endWord(reader, frame)
  if (sign === '<' && text[at + 1] === '<' && text[at + 2] !== '<') return takeHeredoc(reader)
  let end = at
  while (end - at < 3 && '<>&|'.includes(text[end] ?? ' ')) end += 1
  frame.command.redirects = text[end - 1] === '&' ? 'copy' : 'word'
  reader.at = end
}

function takeHeredoc(reader: Reader): void {
  const read = reader.frames.length === 1 && reader.heredocs.length < 8 && readHeredoc(reader.text, reader.at + 2)
  if (!read) {
    reader.lost = after('a heredoc')
    return
  }
  reader.heredocs.push(read.heredoc)
  reader.at = read.end
}

function takeLineFeed(reader: Reader, frame: Frame): void {
  endCommand(reader, frame)
  if (top(reader) !== frame) return
  reader.at += 1
  const { heredocs } = reader
  reader.heredocs = []
  for (const heredoc of heredocs) {
    if (reader.lost !== null) return
    pass(reader, endOfHeredoc(reader.text, reader.at, heredoc), insideOf('a heredoc'), 'a heredoc')
  }
}

function endCommand(reader: Reader, frame: Frame): void {
  endWord(reader, frame)
  if (top(reader) === frame) frame.command = newCommand()
}

/** Words after which a command begins. */
const leading = new Set(['!', '{', 'coproc', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while'])

function endWord(reader: Reader, frame: Frame): void {
  const { word, command } = frame
  if (!word.isBegun) return
  frame.word = newWord()
  if (command.redirects !== 'no') {
    command.redirects = 'no'
    return
  }
  if (command.name === null && word.isPlain && takeKeyword(reader, frame, word.text)) return
  addWord(command, word.text, word.plain, word.holes.length > 0)
  if (command.name === 'alias') reader.lost = after('alias')
  if (command.declares === 'computed') reader.hasTypedVariables = true
}

function takeKeyword(reader: Reader, frame: Frame, text: string): boolean {
  if (leading.has(text)) return true
  if (text === '[[') {
    frame.command.name = '[['
    push(reader, newFrame('condition', insideOf('[[ ]]')))
    return true
  }
  if (text === 'case') {
    if (reader.frames.length > 1 || frame.inCase) reader.lost = after('a case inside another')
    frame.inCase = true
  }
  if (text === 'esac') frame.inCase = false
  return false
}
