// Which words of a bash command may hold a value: a word that bash, or the command, reads as code and not as text may not.

export interface Command {
  /** Null until it is known: assignments, `sudo` and the like come before it. */
  name: string | null
  /** The words after the name. */
  words: { text: string; hasHole: boolean }[]
  /** The next word is the target of a redirection; `input` after `<` and `<<<`, `copy` after `>&`. */
  redirects: 'no' | 'input' | 'output' | 'copy'
  /** A shell is among the words, e.g. after `timeout 5`. */
  hasShell: boolean
}

export const newCommand = (): Command => ({ name: null, words: [], redirects: 'no', hasShell: false })

export const useVariable = 'Set a variable at the top of the block, name={{ … }}, and write "$name" here.'

const wordsOf = (text: string): Set<string> => new Set(text.split(' '))

const wrappers = wordsOf('builtin command env exec nohup sudo')
const declarers = wordsOf('declare export local readonly typeset')
const shells = wordsOf('ash bash dash ksh sh su zsh')
const interpreters = wordsOf('bun deno node perl php python python3 ruby')
const programmed = wordsOf('awk gawk mawk nawk sed')
/** Commands that pass their words to another shell. */
const relays = wordsOf('parallel rsh ssh watch')
/** Commands that run their words, or read them as names of variables, whose subscripts are run. */
const evaluators = wordsOf(
  '. alias bind compgen complete coproc enable eval function getopts jobs let mapfile read readarray source trap unset',
)
/** Variables that bash itself reads as arithmetic, as a prompt or as a path to code. */
const special = wordsOf(
  'BASHOPTS BASHPID BASH_ARGV0 BASH_ENV ENV EPOCHREALTIME EPOCHSECONDS EUID HISTCMD IFS LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD ' +
    'LINENO OPTIND PATH PPID PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 RANDOM SECONDS SHELLOPTS SRANDOM UID',
)

const assigned = /^([A-Za-z_]\w*)\+?=/

/** The variable that a word sets, by its beginning up to the first quote, value or expansion. */
export const variableOf = (plain: string): string | undefined => assigned.exec(plain)?.[1]

export const isShell = (name: string | null): boolean => name !== null && shells.has(name)

export const isDeclarer = (name: string | null): boolean => name !== null && declarers.has(name)

/** Takes a finished word into its command. */
export function addWord(command: Command, text: string, plain: string, hasHole: boolean): void {
  const name = text.slice(text.lastIndexOf('/') + 1)
  if (shells.has(name)) command.hasShell = true
  if (command.name !== null) command.words.push({ text, hasHole })
  else if (variableOf(plain) === undefined && !text.startsWith('-') && !wrappers.has(name)) {
    command.name = name === '' ? text : name
  }
}

/** Why a value is not allowed in a position; `runs`: because it would be run there. */
interface Refusal {
  why: string
  runs: boolean
}

/** Whether a value is allowed in the word that begins with `plain`, as the next word of the command. */
export function refusalOf(command: Command, plain: string): Refusal | null {
  const { name, redirects } = command
  if (redirects === 'copy') return reads(`after >& or <&, where it could mean a file or a channel. ${useVariable}`)
  if (redirects === 'input' && command.hasShell) return runs('as what a shell is given to run. Write the script out.')
  if (redirects !== 'no') return null
  const variable = variableOf(plain)
  if (name === null && variable !== undefined) {
    return special.has(variable) ? runs(`in ${variable}, which bash itself reads. Use another name.`) : null
  }
  if (name === null) return runs('as the name of a command, where it would choose what runs. Write the command out.')
  if (declarers.has(name)) {
    const why = `as a word of ${name}, which can compute it. Write name={{ … }} on a line of its own, and ${name} name.`
    return variable === undefined ? runs(why) : reads(why)
  }
  // `${x:- }eval` and `{eval,}` become other words than are written
  if (name !== '[' && /[$*?{[]/.test(name)) return reads('after a command whose name is not written out. Write it out.')
  return judgeArgument(command, name, variable !== undefined)
}

function judgeArgument({ words, hasShell }: Command, name: string, assigns: boolean): Refusal | null {
  const last = words.at(-1)
  const option = last?.hasHole === false && last.text.startsWith('-') ? last.text : ''
  if (evaluators.has(name))
    return runs(`as a word of ${name}, which would run it or take it for a name. Do without ${name}.`)
  if (relays.has(name))
    return runs(
      `as a word of ${name}, which hands it to another shell. Send it as input: printf '%s' {{ … }} | ${name} ….`,
    )
  if (name === 'printf' && (words.length === 0 || (words.length === 1 && /^--?v?$/.test(last!.text)))) {
    return { why: `as the format of printf. Write printf '%s' {{ … }}.`, runs: option === '-v' }
  }
  if ((name === 'test' || name === '[') && (last?.hasHole || /^-[vR]$/.test(option))) {
    return {
      why: `after ${option || 'another value'} in ${name}, which could take it for a name. ${useVariable}`,
      runs: option !== '',
    }
  }
  if (name === 'wait' && option === '-p') return runs('as a name for wait. Write the name out.')
  if (hasShell && /^-\w*c\w*$/.test(option)) {
    return runs(`as the script of a shell. Give it as an argument: ${name} ${option} '… "$1"' _ {{ … }}.`)
  }
  if (interpreters.has(name) && /^(?:-\w*[ceEr]|--eval)$/.test(option)) {
    return runs(`as the program of ${name}. Give it as an argument after the program.`)
  }
  return programmed.has(name) && !(assigns && option === '-v') ? judgeProgram(name, words, option) : null
}

/** sed and awk take their first plain word, or what follows -e, for a program. */
function judgeProgram(name: string, words: Command['words'], option: string): Refusal | null {
  const hasProgram = words.some(({ text, hasHole }) => !hasHole && !text.startsWith('-'))
  if (hasProgram && !/^(?:-\w*[ef]|--expression|--file)$/.test(option)) return null
  const instead = name === 'sed' ? 'Use another command' : 'Give it as a variable: awk -v name={{ … }} …'
  return runs(`in the program of ${name}. ${instead}.`)
}

const runs = (why: string): Refusal => ({ why, runs: true })
const reads = (why: string): Refusal => ({ why, runs: false })
