// Everything that long work can do. What stands here is found again after a reload, on whatever screen.
import { runyard } from './client.ts'
import type { WorkKind } from './longWork.ts'
import { counted } from '../parts/amounts.ts'

export const workKinds = {
  stopRuns: {
    doing: 'Stopping runs',
    done: (count) => `${counted(count, 'run')} stopped`,
    each: (id, _input, options) => runyard.runs.stop(id, options),
    changes: ['runs', 'run', 'runCounts', 'overview'],
  },
  retryRuns: {
    doing: 'Starting runs again',
    done: (count) => `${counted(count, 'run')} started again`,
    each: (id, _input, options) => runyard.runs.retry(id, undefined, options),
    changes: ['runs', 'runCounts', 'overview'],
  },
  deleteRuns: {
    doing: 'Deleting runs',
    done: (count) => `${counted(count, 'run')} deleted`,
    each: (id, _input, options) => runyard.runs.delete(id, options),
    changes: ['runs', 'run', 'runCounts', 'overview'],
  },
} satisfies Record<string, WorkKind>

export type WorkName = keyof typeof workKinds
