// runyard guardrails: the rules of a team above all of its agents: read, set from a file, tried on what happened, and restored.
import { command, UsageError } from '../command.ts'
import { ageOf } from '../times.ts'
import { reportLines, ruleLines } from './lines.ts'

export const guardrailsShow = command({
  words: 'guardrails show',
  needs: 'service',
  endsWithReader: true,
  says: 'Show the rules that are live, and what was done today of what they bound.',
  about: 'With --json, `.guardrails.rules` is what `guardrails set` takes.',
  examples: ['runyard guardrails show', 'runyard guardrails show --json | jq .guardrails.rules > guardrails.json'],
  async run({ out, service, signal }) {
    const shown = await (await service()).guardrails.get({ signal })
    out.record(shown, ({ guardrails: { version, rules, comment, created_at }, today }) => [
      version === 0
        ? 'There are no guardrails.'
        : `Version ${version}, live since ${created_at}${comment ? `: ${comment}` : ''}`,
      ...ruleLines(rules),
      `Today (${today.day}): ${today.runs} runs, ${today.outside_calls} outside calls, ${today.cost_usd} USD`,
    ])
  },
})

const fileHelp = 'FILE holds the rules as JSON; - reads them from stdin. What is left out is no rule.'

export const guardrailsSet = command({
  words: 'guardrails set',
  needs: 'service',
  says: 'Replace all rules by those of a file; they are live at once.',
  about: fileHelp,
  positionals: ['FILE'],
  options: {
    comment: { type: 'string', short: 'm', value: 'TEXT', says: 'why, for the history' },
    expect: { type: 'string', value: 'VERSION', says: 'refuse if another version is live' },
  },
  examples: [
    'runyard guardrails set guardrails.json -m "No payments at night"',
    "echo '{}' | runyard guardrails set -",
  ],
  async run({ positionals: [file = ''], values, out, service, stdin, signal }) {
    const expected = values.expect === undefined ? undefined : versionIn(values.expect, '--expect')
    const rules = await rulesIn(file, stdin)
    const runyard = await service()
    const input = {
      rules,
      ...(values.comment !== undefined && { comment: values.comment }),
      ...(expected !== undefined && { expected_version: expected }),
    }
    const { guardrails } = await runyard.guardrails.set(input, { signal })
    out.record(guardrails, ({ version }) => [`Version ${version} is live.`])
  },
})

export const guardrailsDryRun = command({
  words: 'guardrails dry-run',
  needs: 'service',
  says: 'Say what the rules of a file would have stopped in the last 30 days.',
  about: `${fileHelp} Nothing is changed.`,
  positionals: ['FILE'],
  examples: [
    'runyard guardrails dry-run guardrails.json',
    'runyard guardrails dry-run guardrails.json --json | jq .report.rules',
  ],
  async run({ positionals: [file = ''], out, service, stdin, signal }) {
    const rules = await rulesIn(file, stdin)
    const { guardrails } = await service()
    const { setTimeout: sleep } = await import('node:timers/promises')
    let { dry_run } = await guardrails.startDryRun({ rules }, { signal })
    while (dry_run.status === 'running') {
      await sleep(pollMs, undefined, { signal })
      dry_run = (await guardrails.getDryRun(dry_run.id, { signal })).dry_run
    }
    out.record(dry_run, reportLines)
  },
})

/** How often a dry run is asked for. */
const pollMs = 300

export const guardrailsHistory = command({
  words: 'guardrails history',
  needs: 'service',
  endsWithReader: true,
  says: 'List the versions of the rules, the newest first.',
  examples: ['runyard guardrails history', 'runyard guardrails history --json | jq .rules'],
  async run({ out, service }) {
    const runyard = await service()
    await out.rows(
      [
        { title: 'version', of: ({ version }) => version, isNumber: true },
        { title: 'by', of: ({ user_id }) => user_id },
        { title: 'age', of: ({ created_at }) => (created_at === null ? '' : ageOf(created_at)), isNumber: true },
        { title: 'restores', of: ({ restores }) => restores, isNumber: true },
        { title: 'comment', of: ({ comment }) => comment, mayCut: true },
      ],
      runyard.guardrails.listVersions({ limit: 50 }),
      'There are no guardrails yet. Set some with: runyard guardrails set FILE',
    )
  },
})

export const guardrailsRollback = command({
  words: 'guardrails rollback',
  needs: 'service',
  says: 'Make the rules of an earlier version live again, as a new version.',
  positionals: ['VERSION'],
  options: { comment: { type: 'string', short: 'm', value: 'TEXT', says: 'why, for the history' } },
  examples: ['runyard guardrails rollback 3', 'runyard guardrails rollback 3 -m "The new hosts were wrong"'],
  async run({ positionals: [given = ''], values, out, service, signal }) {
    const input = {
      version: versionIn(given, 'VERSION'),
      ...(values.comment !== undefined && { comment: values.comment }),
    }
    const { guardrails } = await (await service()).guardrails.restore(input, { signal })
    out.record(guardrails, ({ version, restores }) => [
      `Version ${version} is live, with the rules of version ${restores}.`,
    ])
  },
})

function versionIn(text: string, name: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new UsageError(`${name} must be the number of a version, such as 3.`)
}

async function rulesIn(file: string, stdin: () => NodeJS.ReadStream): Promise<Record<string, never>> {
  const { readFile } = await import('node:fs/promises')
  const { textOf } = await import('../keyboard.ts')
  const text = file === '-' ? await textOf(stdin()) : await readFile(file, 'utf8').catch(unreadable(file))
  try {
    const value = JSON.parse(text ?? '') as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, never>
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${(error as Error).message}`, { cause: error })
  }
  throw new UsageError(`${file} must hold a JSON object with the rules.`)
}

const unreadable =
  (file: string) =>
  (error: unknown): never => {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
