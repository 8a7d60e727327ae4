// The completions of real shells: what they offer is what the command line takes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { proves } from '../../server/test/kit/proves.ts'
import { linesOf, lineWith, printed } from './lines.ts'

const missing = (shell: string): string | false =>
  spawnSync(shell, ['-c', 'exit 0']).status === 0 ? false : `there is no ${shell} here`

const scriptOf = (shell: string): Promise<string> => printed(lineWith(['completion', shell], {}))

/** What the shell would offer after these words; the last one is under way. */
const offered: [string[], string[]][] = [
  [
    ['runs', 's'],
    ['show', 'stop'],
  ],
  [['ru'], ['run', 'runs']],
  [['runs', 'retry', '--fr'], ['--from-step']],
  [['runs', 'show', '01981c5e', '--js'], ['--json']],
  [['inbox', 'app'], ['approve']],
  [['call', 'startRu'], ['startRun']],
  [['completion', 'z'], ['zsh']],
  [['nothing', 'xyz'], []],
]

/** fish reads no script from the socket that a child of Node has as its input. */
const wordsOf = (shell: string, input: string): string[] =>
  ({ zsh: ['-f'], fish: ['--no-config', '-c', input] })[shell] ?? []

function inShell(shell: string, input: string): string {
  const { stdout, stderr, status } = spawnSync(shell, wordsOf(shell, input), { input, encoding: 'utf8' })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout
}

const bashLines = (words: string[]): string =>
  `COMP_WORDS=(runyard ${words.join(' ')}); COMP_CWORD=${words.length}; COMPREPLY=(); _runyard; echo "\${COMPREPLY[*]}"\n`

proves('cli.completion', 'bash completes commands, options and operations', { skip: missing('bash') }, async () => {
  const script = await scriptOf('bash')
  const answers = inShell('bash', `${script}\n${offered.map(([words]) => bashLines(words)).join('')}`).split('\n')
  for (const [index, [words, expected]] of offered.entries())
    assert.deepEqual(answers[index]?.split(' ').filter(Boolean), expected, words.join(' '))
})

proves('cli.completion', 'zsh takes the same completion', { skip: missing('zsh') }, async () => {
  const script = await scriptOf('zsh')
  const answer = inShell('zsh', `autoload -Uz compinit && compinit -u\n${script}\n_runyard_next 'runs retry'\n`)
  assert.match(answer, /--from-step/)
})

proves('cli.completion', 'fish completes commands, options and operations', { skip: missing('fish') }, async () => {
  const script = await scriptOf('fish')
  for (const [words, expected] of offered.slice(0, -1)) {
    const answer = inShell('fish', `${script}\ncomplete -C 'runyard ${words.join(' ')}'\n`)
    assert.deepEqual(linesOf(answer).toSorted(), expected, words.join(' '))
  }
})
