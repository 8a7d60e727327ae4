// Which words of a bash command may hold a value: a word that bash reads as code, not as text, may not.

export interface Command {
  /** Null until it is known: assignments, `sudo` and the like come before it. */
  name: string | null
  /** The words after the name. */
  words: { text: string; hasHole: boolean }[]
  /** The next word is the target of a redirection; `copy` after `>&`. */
  redirects: 'no' | 'word' | 'copy'
  /** `declare -i` and `-n`: what is assigned, also later, is arithmetic or a name; `-a`, `-A`: a list. */
  declares: 'text' | 'list' | 'computed'
  /** A shell is among the words, e.g. after `timeout 5`. */
  hasShell: boolean
}

export const newCommand = (): Command => ({
  name: null,
  words: [],
  redirects: 'no',
  declares: 'text',
  hasShell: false,
})

export const useVariable = 'Set a variable at the top of the block, name={{ … }}, and write "$name" here.'

const wrappers = wordsOf('builtin command env exec nohup sudo')
const declarers = wordsOf('declare export local readonly typeset')
const shells = wordsOf('ash bash dash ksh sh su zsh')
const interpreters = wordsOf('bun deno node perl php python python3 ruby')
const programmed = wordsOf('awk gawk mawk nawk sed')
/** They hand their words to another shell. */
const relays = wordsOf('parallel rsh ssh watch')
/** They run their words, or take them for names of variables, whose subscripts are run. */
const evaluators = wordsOf(
  '. alias bind compgen complete coproc enable eval function getopts jobs let mapfile read readarray source trap unset',
)
/** Variables that bash itself reads as arithmetic, as a prompt or as the way to code. */
const special = wordsOf(
  'BASHOPTS BASHPID BASH_ARGV0 BASH_ENV ENV EPOCHREALTIME EPOCHSECONDS EUID HISTCMD IFS LD_AUDIT LD_LIBRARY_PATH LD_PRELOAD ' +
    'LINENO OPTIND PATH PPID PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 RANDOM SECONDS SHELLOPTS SRANDOM UID',
)

function wordsOf(text: string): Set<string> {
  return new Set(text.split(' '))
}

const assigned = /^([A-Za-z_]\w*)\+?=/

export const isAssignment = (plain: string): boolean => assigned.test(plain)

/** Takes a finished word into its command; `plain` is its beginning up to the first quote, value or expansion. */
export function addWord(command: Command, text: string, plain: string, hasHole: boolean): void {
  const name = text.slice(text.lastIndexOf('/') + 1)
  if (shells.has(name)) command.hasShell = true
  if (command.name !== null) {
    if (declarers.has(command.name) && /^[-+]\w+$/.test(text)) noteType(command, text)
    command.words.push({ text, hasHole })
  } else if (!isAssignment(plain) && !text.startsWith('-') && !wrappers.has(name)) {
    command.name = name === '' ? text : name
  }
}

function noteType(command: Command, option: string): void {
  if (/[in]/.test(option)) command.declares = 'computed'
  else if (/a/i.test(option) && command.declares === 'text') command.declares = 'list'
}

export interface Verdict {
  refusal: string | null
  /** The value is assigned to a variable. */
  assigns: boolean
}

/** Whether a value may stand in the word that begins with `plain`, as the next word of the command. */
export function judge(command: Command, plain: string): Verdict {
  const { name, redirects } = command
  if (redirects === 'copy')
    return refused(`after >& or <&, where a value could mean a file or a channel. ${useVariable}`)
  if (redirects === 'word') return fine
  const variable = assigned.exec(plain)?.[1]
  if (name === null || declarers.has(name)) {
    if (variable === undefined) {
      return name === null
        ? refused('as the name of a command, where it would choose what runs. Write the command out.')
        : refused(`as a word of ${name}, which would take it for a name. Write ${name} name={{ … }}.`)
    }
    if (special.has(variable)) return refused(`in ${variable}, which bash itself reads. Use another name.`)
    if (command.declares !== 'text')
      return refused(`in a typed variable, where bash computes it. Write ${name} name={{ … }}.`)
    return { refusal: null, assigns: true }
  }
  // `${x:- }eval` and `{eval,}` become other words than are written
  if (name !== '[' && /[$*?{[]/.test(name)) return refused(`after a command whose name is not written out. Write it out.`)
  const why = refusalOfArgument(command, name, variable !== undefined)
  return why === null ? fine : refused(why)
}

function refusalOfArgument({ words, hasShell }: Command, name: string, assigns: boolean): string | null {
  const last = words.at(-1)
  const option = last?.hasHole === false && last.text.startsWith('-') ? last.text : ''
  if (evaluators.has(name)) return `as a word of ${name}, which would run it or take it for a name. ${useVariable}`
  if (relays.has(name))
    return `as a word of ${name}, which hands it to another shell. Send it as input: printf '%s' {{ … }} | ${name} ….`
  if (name === 'printf' && (words.length === 0 || (words.length === 1 && /^--?v?$/.test(last!.text)))) {
    return `as the format of printf. Write printf '%s' {{ … }}.`
  }
  if ((name === 'test' || name === '[') && (last?.hasHole || /^-[vR]$/.test(option))) {
    return `after ${option || 'another value'} in ${name}, which could take it for a name. ${useVariable}`
  }
  if (name === 'wait' && option === '-p') return `as a name for wait. Write the name out.`
  if (hasShell && /^-\w*c\w*$/.test(option)) {
    return `as the script of a shell. Give it as an argument: ${name} ${option} '… "$1"' _ {{ … }}.`
  }
  if (interpreters.has(name) && /^(?:-\w*[ceEr]|--eval)$/.test(option)) {
    return `as the program of ${name}. Give it as an argument after the program.`
  }
  return programmed.has(name) && !(assigns && option === '-v') ? refusalOfProgram(name, words, option) : null
}

/** sed and awk take their first plain word, or what follows -e, for a program. */
function refusalOfProgram(name: string, words: Command['words'], option: string): string | null {
  const hasProgram = words.some(({ text, hasHole }) => !hasHole && !text.startsWith('-'))
  if (hasProgram && !/^(?:-\w*[ef]|--expression|--file)$/.test(option)) return null
  return `in the program of ${name}. ${name === 'sed' ? 'Use another command' : 'Give it as a variable: awk -v name={{ … }} …'}.`
}

const fine: Verdict = { refusal: null, assigns: false }
const refused = (refusal: string): Verdict => ({ refusal, assigns: false })
