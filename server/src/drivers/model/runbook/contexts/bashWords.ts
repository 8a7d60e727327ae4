// What a finished word of a bash script means: a keyword, part of a command, or a step of a value from variable to variable.
import { addWord, isDeclarer, isShell, refusalOf, newCommand, variableOf, type Command } from './bashCommands.ts'
import { allArguments, namesIn, type Flows } from './bashFlow.ts'
import { after, insideOf, newWord, openFrame, top, type Frame, type Reader, type Word } from './bashReader.ts'

/** `pipes`: what it prints goes to the next command. */
export function endCommand(reader: Reader, frame: Frame, pipes = false): void {
  endWord(reader, frame)
  const { command } = frame
  if (top(reader) !== frame) return
  if (isShell(command.name))
    for (let hole = frame.pipeHole; hole < frame.commandHole; hole += 1) reader.flows.run.push(hole)
  // a line break after | ends nothing
  if (!pipes && command.name !== null) frame.pipeHole = reader.hole
  frame.commandHole = reader.hole
  frame.command = newCommand()
}

export function endWord(reader: Reader, frame: Frame): void {
  const { word, command } = frame
  if (!word.isBegun) return
  frame.word = newWord(reader)
  if (command.redirects !== 'no') {
    command.redirects = 'no'
    return
  }
  if (command.name === null && word.isPlain && takeKeyword(reader, frame, word.text)) return
  noteFlow(reader, command, word)
  addWord(command, word.text, word.plain, word.holes.length > 0)
  if (command.name === 'alias') reader.lost = after('alias')
}

/** Words after which a command begins. */
const leading = new Set(['!', '{', 'coproc', 'do', 'elif', 'else', 'if', 'then', 'time', 'until', 'while'])

function takeKeyword(reader: Reader, frame: Frame, text: string): boolean {
  if (leading.has(text)) return true
  if (text === '[[') {
    frame.command.name = '[['
    openFrame(reader, 'condition', insideOf('[[ ]]', 'Use [ ]: [ {{ … }} = text ].'))
    return true
  }
  if (text === 'case') {
    if (reader.frames.length > 1 || frame.inCase) reader.lost = after('a case inside another')
    frame.inCase = true
  }
  if (text === 'esac') frame.inCase = false
  return false
}

function noteFlow(reader: Reader, command: Command, word: Word): void {
  const { flows } = reader
  const { name } = command
  const isSubscript = name === null && word.inSubscript
  if (isSubscript) addSinks(flows, namesIn(word.plain))
  if (name === 'let') addSinks(flows, namesIn(word.text))
  if (isDeclarer(name) && /^[-+]\w*[in]/.test(word.text)) flows.hasTypedVariables = true
  if (reader.hole === word.firstHole && reader.references.length === word.firstReference) return
  const from = reader.references.slice(word.firstReference)
  const holes: number[] = []
  for (let hole = word.firstHole; hole < reader.hole; hole += 1) holes.push(hole)
  if (isSubscript || refusalOf(command, word.plain)?.runs) {
    addSinks(flows, from)
    for (const hole of holes) flows.run.push(hole)
  }
  const variable = name === null || isDeclarer(name) ? variableOf(word.plain) : undefined
  if (variable !== undefined) flows.flows.push({ to: variable, holes, from })
  else if (name === 'for' || name === 'select') flows.flows.push({ to: command.words[0]?.text ?? '', holes, from })
  else if (name === 'set') flows.flows.push({ to: allArguments, holes, from })
  else if (name !== null) flows.calls.push({ to: name, holes, from })
}

const addSinks = ({ sinks }: Flows, names: string[]): void => names.forEach((name) => sinks.add(name))
