// runyard completion: what a shell needs to complete commands, options and operations, from their declarations.
import { command, UsageError, type Command } from '../command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export const completion = command({
  words: 'completion',
  positionals: ['bash|zsh|fish'],
  needs: 'nothing',
  says: 'Print a completion script for a shell.',
  about:
    'For bash: source <(runyard completion bash) in ~/.bashrc. For zsh: source <(runyard completion zsh) in ~/.zshrc, after compinit. For fish: runyard completion fish > ~/.config/fish/completions/runyard.fish',
  examples: ['source <(runyard completion bash)', 'runyard completion fish > ~/.config/fish/completions/runyard.fish'],
  async run({ positionals: [shell], out }) {
    if (!shells.some((one) => one === shell)) throw new UsageError(`The shell must be one of ${shells.join(', ')}.`)
    const [{ commands }, { sharedOptions }, { operations }] = await Promise.all([
      import('../commands.ts'),
      import('../sharedOptions.ts'),
      import('../generated/operations.ts'),
    ])
    const words = nextWords(commands, Object.keys(sharedOptions))
    for (const { id } of operations) add(words, 'call', id)
    for (const one of shells) add(words, 'completion', one)
    out.line(shell === 'fish' ? fishScript(words) : shellScript(words, shell === 'zsh'))
  },
})

/** What may come after some words: after `runs`, for example, `show` or `--status`. */
type NextWords = Map<string, Set<string>>

function add(words: NextWords, after: string, word: string): void {
  const known = words.get(after) ?? new Set()
  words.set(after, known.add(word))
}

function nextWords(commands: Command[], shared: string[]): NextWords {
  const words: NextWords = new Map()
  for (const one of commands) {
    const parts = one.words.split(' ')
    for (const [index, part] of parts.entries()) add(words, parts.slice(0, index).join(' '), part)
    for (const option of [...Object.keys(one.options), ...shared]) add(words, one.words, `--${option}`)
    add(words, 'help', parts[0] ?? '')
  }
  add(words, '', 'help')
  return words
}

/** The words before the cursor without options, as far as they are those of a command: the longest that is known. */
const shellScript = (words: NextWords, isZsh: boolean): string => {
  const cases = [...words].map(([after, next]) => `    '${after}') next='${[...next].join(' ')}' ;;`)
  return [
    ...(isZsh ? ['autoload -Uz bashcompinit && bashcompinit'] : []),
    '_runyard_next() {',
    '  local next',
    '  case "$1" in',
    ...cases,
    '    *) return 1 ;;',
    '  esac',
    `  printf '%s' "$next"`,
    '}',
    '_runyard() {',
    '  local typed="${COMP_WORDS[COMP_CWORD]}" path="" index word longer next',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    '    word="${COMP_WORDS[index]}"',
    '    longer="${path:+$path }$word"',
    '    if _runyard_next "$longer" > /dev/null; then path="$longer"; fi',
    '  done',
    '  next="$(_runyard_next "$path")"',
    '  COMPREPLY=($(compgen -W "$next" -- "$typed"))',
    '}',
    'complete -o default -F _runyard runyard',
  ].join('\n')
}

const fishScript = (words: NextWords): string =>
  [
    'function __runyard_next',
    '  set -l path ""',
    '  for word in (commandline -opc)[2..-1]',
    '    set -l longer (string trim -- "$path $word")',
    '    if __runyard_words "$longer" > /dev/null',
    '      set path "$longer"',
    '    end',
    '  end',
    '  __runyard_words "$path"',
    'end',
    'function __runyard_words',
    '  switch "$argv[1]"',
    ...[...words].flatMap(([after, next]) => [
      `    case '${after}'`,
      `      printf '%s\\n' ${[...next].map((word) => `'${word}'`).join(' ')}`,
    ]),
    "    case '*'",
    '      return 1',
    '  end',
    'end',
    "complete -c runyard -f -a '(__runyard_next)'",
  ].join('\n')
