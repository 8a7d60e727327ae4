// runyard replay show: the runs of a replay, and for each that differs what was found.
import { command } from '../command.ts'

export const replayShow = command({
  words: 'replay show',
  needs: 'service',
  endsWithReader: true,
  says: 'Show what differs in each run of a replay.',
  positionals: ['ID'],
  options: { all: { type: 'boolean', says: 'also the runs in which nothing differs' } },
  examples: [
    'runyard replay show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard replay show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --all --json | jq .verdict',
  ],
  async run({ positionals: [id = ''], values, out, service }) {
    const runyard = await service()
    for await (const one of runyard.replays.listRuns(id, { limit: 200 })) {
      if (!values.all && one.verdict === 'same') continue
      if (one.verdict !== 'changed') {
        out.record(one, ({ run_number, verdict, reason }) => [
          `run ${run_number}  ${verdict ?? 'pending'}  ${reason ?? ''}`.trimEnd(),
        ])
        continue
      }
      const { replay_run } = await runyard.replays.getRun(one.id)
      out.record(replay_run, ({ run_number, run_title, match, report }) => [
        `run ${run_number}  changed  match ${match}  ${run_title}`,
        ...(report?.findings ?? []).map(
          ({ kind, turn, tool, message }) =>
            `  ${[kind, turn === null ? undefined : `turn ${turn}`, tool, message].filter(Boolean).join('  ')}`,
        ),
      ])
    }
  },
})
