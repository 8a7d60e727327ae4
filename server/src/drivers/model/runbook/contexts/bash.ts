// Finds the holes of a bash script where a single-quoted word would not be exactly one literal word, or would be run later.
import type { MarkedText } from '../../../../base/expression/holes.ts'
import type { Refuse } from '../template.ts'
import { refusalOf, newCommand, useVariable } from './bashCommands.ts'
import { allArguments, computedIn, holesThatRun, namesIn, newFlows, noteUnread } from './bashFlow.ts'
import {
  addText,
  after,
  beginExpansion,
  insideOf,
  newWord,
  openFrame,
  pass,
  top,
  type Frame,
  type Reader,
} from './bashReader.ts'
import {
  endOfArithmetic,
  endOfEscaped,
  endOfHeredoc,
  endOfOldArithmetic,
  endOfParameter,
  endOfSingleQuotes,
  readHeredoc,
} from './bashRegions.ts'
import { endCommand, endWord } from './bashWords.ts'

const inDouble = `in double quotes. Close them before it: "text "{{ … }}" text".`
const inSingle = `in single quotes. Close them before it: 'text '{{ … }}' text'.`
const useNumber = 'Set a variable to a number at the top of the block, name={{ … | number }}, and compute with that.'
const runsLater =
  'in a variable that this block computes with or runs, where a text could become code. Write {{ … | number }} if it is a number; ' +
  'else compute with another variable.'

export function checkBash({ text, positions, areNumbers }: MarkedText, refuse: Refuse): void {
  if (positions.length === 0) return
  const refused = new Set<number>()
  const reader: Reader = {
    text,
    positions,
    at: 0,
    hole: 0,
    references: [],
    frames: [],
    heredocs: [],
    lost: text.includes('BASH_ALIASES') ? after('BASH_ALIASES') : null,
    flows: newFlows(),
    refuse(hole, why) {
      if (!refused.has(hole)) refuse(hole, why)
      refused.add(hole)
    },
  }
  openFrame(reader, 'commands', null)
  while (reader.at < text.length && reader.lost === null) step(reader)
  if (reader.lost !== null) {
    noteUnread(reader.flows, text.slice(reader.at))
    pass(reader, text.length, reader.lost, '')
  } else if (top(reader).kind === 'commands') endCommand(reader, top(reader))
  for (const hole of holesThatRun(reader.flows)) if (!areNumbers[hole]) reader.refuse(hole, runsLater)
}

function step(reader: Reader): void {
  const frame = top(reader)
  const sign = reader.text[reader.at]!
  if (reader.positions[reader.hole] === reader.at) takeHole(reader, frame)
  else if (sign === '\\') takeEscaped(reader, frame)
  else if (sign === '`') takeRegion(reader, endOfEscaped(reader.text, reader.at + 1, '`'), insideOf('backticks'))
  else if (sign === '$') takeDollar(reader, frame)
  else if (sign === '"') takeDouble(reader, frame)
  else if (frame.kind === 'double') takeSign(reader, frame, sign)
  else if (sign === "'") takeSingle(reader, frame)
  else if (frame.kind === 'commands') stepInCommands(reader, frame, sign)
  else stepInList(reader, frame, sign)
}

function stepInCommands(reader: Reader, frame: Frame, sign: string): void {
  if (sign === ' ' || sign === '\t') endWord(reader, frame)
  else if (sign === '&' && reader.text[reader.at + 1] === '>') endWord(reader, frame)
  else if (sign === '\n') return takeLineFeed(reader, frame)
  else if (sign === '|') return takePipe(reader, frame)
  else if (sign === ';' || sign === '&') endCommand(reader, frame)
  else if (sign === '#' && !frame.word.isBegun) return takeComment(reader)
  else if (sign === '(') return openParen(reader, frame)
  else if (sign === ')') return closeParen(reader, frame)
  else if (sign === '<' || sign === '>') return takeRedirection(reader, frame, sign)
  else return takeSign(reader, frame, sign)
  // a word that opened a frame leaves the character after it to that frame
  if (top(reader) === frame) reader.at += 1
}

/** Reads [[ ]] and name=( ), where no value is allowed, up to the end. */
function stepInList(reader: Reader, frame: Frame, sign: string): void {
  const { kind, word } = frame
  if (' \t\n;&|<>()'.includes(sign)) {
    frame.word = newWord(reader)
    if (kind === 'condition' && word.isPlain && word.text === ']]') return endCondition(reader, frame)
    if (kind === 'condition' && word.text === '=~') reader.lost = after('=~')
    if (kind === 'array' && sign === ')') {
      reader.frames.pop()
      beginExpansion(top(reader).word)
    } else if (kind === 'array' && !' \t\n'.includes(sign)) reader.lost = after('a list like this')
    if (sign === '\n' && reader.heredocs.length > 0) reader.lost = after('a heredoc')
    reader.at += 1
  } else if (sign === '#' && !word.isBegun) reader.lost = after('a # in this place')
  else takeSign(reader, frame, sign)
}

function endCondition(reader: Reader, frame: Frame): void {
  const written = reader.text.slice(frame.from, reader.at)
  if (/\s-(?:eq|ne|lt|le|gt|ge|v|R)\s/.test(written)) for (const name of namesIn(written)) reader.flows.sinks.add(name)
  reader.frames.pop()
}

/** Takes all characters without a meaning of their own that follow. */
const quiet = /[\w./:,@%+=^~-]+/y
const quietInDouble = /[^"\\$`\uFFFC]+/y

function takeSign(reader: Reader, { kind, word }: Frame, sign: string): void {
  const pattern = kind === 'double' ? quietInDouble : quiet
  pattern.lastIndex = reader.at
  const run = pattern.exec(reader.text)?.[0]
  addText(word, run ?? sign)
  reader.at += run?.length ?? 1
  if (run !== undefined || kind === 'double') return
  if (sign === '[') {
    word.inBracket = true
    word.inSubscript ||= word.isPlain
  } else if (sign === ']') word.inBracket = false
  else if (sign === '{') {
    word.hasBrace = true
    for (const hole of word.holes) reader.refuse(hole, insideOf('a word with { }'))
  }
}

function takeHole(reader: Reader, frame: Frame): void {
  const { word } = frame
  let refusal = frame.refusal
  if (refusal === null && word.inBracket) refusal = insideOf('[ ]', useNumber)
  if (refusal === null && word.hasBrace) refusal = insideOf('{ }')
  refusal ??= refusalOf(frame.command, word.plain)?.why ?? null
  if (refusal !== null) reader.refuse(reader.hole, refusal)
  word.holes.push(reader.hole)
  beginExpansion(word)
  reader.hole += 1
  reader.at += 1
}

function takeEscaped(reader: Reader, { word }: Frame): void {
  const next = reader.text[reader.at + 1] ?? ''
  if (reader.positions[reader.hole] === reader.at + 1) {
    reader.refuse(reader.hole, `after a backslash. ${useVariable}`)
    reader.hole += 1
  }
  if (next === '\n' && reader.heredocs.length > 0) reader.lost = after('a heredoc')
  if (next !== '\n') {
    word.isPlain = false
    addText(word, next)
  }
  reader.at += 2
}

function takeSingle(reader: Reader, { word }: Frame): void {
  const from = reader.at + 1
  const end = endOfSingleQuotes(reader.text, from)
  word.isPlain = false
  addText(word, reader.text.slice(from, end - 1))
  pass(reader, end, inSingle, '')
}

function takeDouble(reader: Reader, frame: Frame): void {
  if (frame.kind !== 'double') {
    frame.word.isPlain = false
    openFrame(reader, 'double', frame.refusal ?? inDouble)
  } else {
    reader.frames.pop()
    addText(top(reader).word, frame.word.text)
  }
  reader.at += 1
}

/** Skips an expansion and notes what it reads and computes. */
function takeRegion(reader: Reader, end: number, why: string, computes?: (text: string) => string[]): void {
  beginExpansion(top(reader).word)
  const written = reader.text.slice(reader.at, end === -1 ? reader.at : end)
  for (const name of namesIn(written)) reader.references.push(name)
  for (const name of computes?.(written) ?? []) reader.flows.sinks.add(name)
  pass(reader, end, why, 'an expansion like this')
}

function takeDollar(reader: Reader, frame: Frame): void {
  const { text, at } = reader
  const next = text[at + 1] ?? ''
  if (reader.positions[reader.hole] === at + 1) {
    beginExpansion(frame.word)
    pass(reader, at + 2, 'right after $, where bash would read it differently. Take the $ away.', '')
  } else if (next === '{') {
    takeRegion(reader, endOfParameter(text, at + 2), insideOf('${ }'), (written) => computedIn(written.slice(2)))
  } else if (next === '(' && text[at + 2] === '(') {
    takeRegion(reader, endOfArithmetic(text, at + 3), insideOf('$(( ))', useNumber), namesIn)
  } else if (next === '[') takeRegion(reader, endOfOldArithmetic(text, at + 2), insideOf('$[ ]', useNumber), namesIn)
  else if (next === '(') {
    beginExpansion(frame.word)
    openFrame(reader, 'commands', frame.refusal, true)
    reader.at += 2
  } else if (next === "'" && frame.kind !== 'double') {
    takeRegion(reader, endOfEscaped(text, at + 2, "'"), insideOf("$' '"))
  } else takeVariable(reader, frame, next)
}

const variable = /[A-Za-z_]\w*|[0-9@*]|[$!?#-]|/y

function takeVariable(reader: Reader, frame: Frame, next: string): void {
  beginExpansion(frame.word)
  variable.lastIndex = reader.at + 1
  const name = variable.exec(reader.text)![0]
  if (/[0-9@*]/.test(next)) reader.references.push(allArguments)
  else if (/\w/.test(next)) reader.references.push(name)
  // $$ and its like are whole: the second character begins nothing
  reader.at += 1 + name.length
}

function takeComment(reader: Reader): void {
  if (reader.frames.length > 1) {
    reader.lost = after('a comment inside ( )')
    return
  }
  const feed = reader.text.indexOf('\n', reader.at)
  const end = feed === -1 ? reader.text.length : feed
  pass(reader, end, 'in a comment, which a value with a line break would end. Take it out.', '')
}

function openParen(reader: Reader, frame: Frame): void {
  const { text, at } = reader
  const { word } = frame
  if (!word.isBegun && text[at + 1] === '(') {
    takeRegion(reader, endOfArithmetic(text, at + 2), insideOf('(( ))', useNumber), namesIn)
  } else if (!word.isBegun) {
    openFrame(reader, 'commands', frame.refusal, true)
    reader.at += 1
  } else if (word.isPlain && /^[A-Za-z_]\w*\+?=$/.test(word.text)) {
    openFrame(reader, 'array', insideOf('name=( )', 'Write set -- {{ … }} {{ … }}, and "$@" for the list.'))
    reader.at += 1
  } else if (text[at + 1] === ')') {
    reader.flows.functions.add(word.text)
    frame.word = newWord(reader)
    endCommand(reader, frame)
    reader.at += 2
  } else reader.lost = after('a parenthesis inside a word')
}

function closeParen(reader: Reader, frame: Frame): void {
  endCommand(reader, frame)
  if (frame.isClosedByParen && top(reader) === frame) {
    reader.frames.pop()
    // a substitution is part of a word that continues; a subshell, or the pattern of a case, ends a command
    if (!top(reader).word.isBegun) top(reader).command = newCommand()
  } else if (!frame.inCase) reader.lost = after('a closing parenthesis')
  reader.at += 1
}

function takePipe(reader: Reader, frame: Frame): void {
  const next = reader.text[reader.at + 1]
  endCommand(reader, frame, next !== '|')
  if (top(reader) === frame) reader.at += next === '|' || next === '&' ? 2 : 1
}

function takeRedirection(reader: Reader, frame: Frame, sign: string): void {
  const { text, at } = reader
  if (text[at + 1] === '(') {
    beginExpansion(frame.word)
    openFrame(reader, 'commands', frame.refusal, true)
    reader.at += 2
    return
  }
  // `2>` and `{name}>` say which channel: no words of the command
  if (frame.word.isPlain && /^(?:\d+|\{\w+\})$/.test(frame.word.text)) frame.word = newWord(reader)
  else endWord(reader, frame)
  if (sign === '<' && text[at + 1] === '<' && text[at + 2] !== '<') return takeHeredoc(reader)
  let end = at
  while (end - at < 3 && '<>&|'.includes(text[end] ?? ' ')) end += 1
  frame.command.redirects = text[end - 1] === '&' ? 'copy' : sign === '<' ? 'input' : 'output'
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
