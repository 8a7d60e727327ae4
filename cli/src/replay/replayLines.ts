// A replay in a few lines: what matched, and both sides of cost, time and score.
import type { Replay } from '../../../sdk/src/index.ts'

export function replayLines(replay: Replay): string[] {
  const { runs, runs_same, runs_changed, runs_not_replayed, match, unsettled_calls } = replay
  const counts = `${runs} runs: ${runs_same} the same, ${runs_changed} changed, ${runs_not_replayed} not replayed`
  return [
    `Replay ${replay.id} ${replay.state}`,
    counts,
    `match ${match ?? '-'}`,
    `score ${replay.recorded_score ?? '-'} recorded, ${replay.score ?? '-'} replayed`,
    `cost ${replay.recorded_cost_usd} USD recorded, ${replay.cost_usd} USD replayed`,
    `model time ${seconds(replay.recorded_model_ms)} recorded, ${seconds(replay.model_ms)} replayed`,
    ...(unsettled_calls > 0 ? [`${unsettled_calls} model calls were cut off and may have been paid for as well`] : []),
    ...(runs_same < runs && replay.state !== 'running'
      ? [`See what differs with: runyard replay show ${replay.id}`]
      : []),
  ]
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
