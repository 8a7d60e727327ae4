// npm run dev: the service, started again whenever one of its files changes.
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  return runNode(['--watch', '--watch-preserve-output', 'server/src/main.ts', ...process.argv.slice(2)])
})
