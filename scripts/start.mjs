// npm start: installs what is missing, then runs the service until it is stopped.
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: false })
  return runNode(['server/src/main.ts', ...process.argv.slice(2)], { watched: true })
})
