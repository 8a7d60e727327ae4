// Everything that long work can do. What stands here is found again after a reload, on whatever screen.
import { runyard } from './client.ts'
import type { WorkKind } from './longWork.ts'
import { counted } from '../parts/amounts.ts'

export const workKinds = {
  stopRuns: {
    doing: 'Stopping runs',
    done: (count) => `${counted(count, 'run')} stopped`,
    page: async (...asked) => (await import('../screens/runs/workPages.ts')).idPage(...asked),
    each: (id, _input, options) => runyard.runs.stop(id, options),
    changes: ['runs', 'run', 'runCounts', 'overview'],
  },
  retryRuns: {
    doing: 'Starting runs again',
    done: (count) => `${counted(count, 'run')} started again`,
    page: async (...asked) => (await import('../screens/runs/workPages.ts')).idPage(...asked),
    each: (id, _input, options) => runyard.runs.retry(id, undefined, options),
    changes: ['runs', 'runCounts', 'overview'],
  },
  exportRuns: {
    doing: 'Writing runs to a CSV file',
    done: (count) => `${counted(count, 'run')} in a CSV file`,
    page: async (...asked) => (await import('../screens/runs/workPages.ts')).csvPage(...asked),
    file: { name: 'runs.csv', type: 'text/csv;charset=utf-8' },
  },
  exportAudit: {
    doing: 'Writing the audit log to a CSV file',
    done: (count) => `${counted(count, 'entry', 'entries')} in a CSV file`,
    page: async (...asked) => (await import('../screens/people/audit/auditCsv.ts')).auditPage(...asked),
    file: { name: 'audit-log.csv', type: 'text/csv;charset=utf-8' },
  },
  uploadFiles: {
    doing: 'Uploading files',
    done: (count) => `${counted(count, 'file')} uploaded`,
    each: async (...asked) => (await import('../screens/sandbox/upload/uploadOne.ts')).uploadOne(...asked),
    changes: ['sandboxFiles', 'sandboxFile', 'sandbox', 'sandboxes', 'sandboxUsage'],
  },
  importCases: {
    doing: 'Importing cases',
    done: (count) => `${counted(count, 'case')} imported`,
    size: (item) => Number(item.split(':')[1]),
    each: async (item, input, options) =>
      (await import('../screens/queue/import/sendRows.ts')).sendRows(item, input, options),
    changes: ['cases', 'queue', 'queues', 'queueWork'],
  },
  resendDeliveries: {
    doing: 'Sending deliveries again',
    done: (count) => `${counted(count, 'delivery', 'deliveries')} sent again`,
    each: (id, _input, options) => runyard.deliveries.replay(id, options),
    changes: ['deliveries', 'deliveryTargets', 'teamEvents'],
  },
} satisfies Record<string, WorkKind>

export type WorkName = keyof typeof workKinds
