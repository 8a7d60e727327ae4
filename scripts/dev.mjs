// npm run dev: the service, started again whenever one of its files changes. npm run dev -- console: the console, which follows its sources.
import { ensureConsole } from './buildConsole.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  const [first, ...rest] = process.argv.slice(2)
  if (first === 'console')
    return runNode(['node_modules/vite/bin/vite.js', 'console', '--configLoader', 'native', ...rest])
  await ensureConsole()
  return runNode(['--watch', '--watch-preserve-output', 'server/src/main.ts', ...process.argv.slice(2)])
})
