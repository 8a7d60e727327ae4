// Which Chromium is started, where a setting names one.
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../../../test/kit/proves.ts'
import { ConfigError, readConfig } from '../../base/config.ts'
import { createLog } from '../../base/log.ts'
import { findChromium, missingChromium } from './chromiumFiles.ts'

const log = createLog('silent', { write: () => undefined })
const find = (named: string) => findChromium({ named, cacheDir: join(tmpdir(), 'never'), account: undefined, log })

proves('browser.named', 'the file that the setting names goes before the one in the npm package', async () => {
  const { executable, env } = await find(process.execPath)
  assert.equal(executable, process.execPath)
  assert.equal(env['LD_LIBRARY_PATH'], undefined)
})

proves('browser.named', 'a file that is not there is named in the failure, and nothing else is started', async () => {
  assert.match(missingChromium('/no/such/chromium') ?? '', /RUNYARD_CHROMIUM names \/no\/such\/chromium/)
  await assert.rejects(find('/no/such/chromium'), /no such file/)
})

proves('browser.named', 'the setting must be the whole path', () => {
  assert.equal(readConfig({ RUNYARD_CHROMIUM: '/usr/bin/chromium' }).chromium, '/usr/bin/chromium')
  assert.throws(() => readConfig({ RUNYARD_CHROMIUM: 'chromium' }), ConfigError)
})
