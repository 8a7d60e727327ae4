// An upgrade as people see it: nothing. Processes of the release before and of this one serve together.
import assert from 'node:assert/strict'
import { proves } from '../kit/proves.ts'
import { checkOutPrevious, whyNoPrevious } from './previousCheckout.ts'
import { temporaryDataDir } from './processes.ts'
import { holdsSideBySide, workSideBySide } from './sideBySide.ts'
import { openYard } from './yard.ts'

const missing = await whyNoPrevious()

proves(
  'upgrade.sideBySide',
  'clients use processes of the release before and of this one at the same time, and nothing fails',
  { skip: missing ?? false },
  async (t) => {
    const previous = await checkOutPrevious()
    t.after(previous.remove)
    const dataDir = await temporaryDataDir()
    t.after(dataDir.remove)
    const options = { dataDir: dataDir.path, entry: previous.main, env: { LOG_LEVEL: 'error' } }
    const yard = await openYard({ options, apis: 1, workers: 2 })
    try {
      const seen = await workSideBySide(yard, previous, { forMs: 20_000, clients: 4 })
      t.diagnostic(JSON.stringify(seen))
      assert.ok(holdsSideBySide(seen), JSON.stringify(seen))
    } finally {
      await yard.close()
    }
  },
)
