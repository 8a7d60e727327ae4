// npm start: installs what is missing, builds the console where that is due, then runs the service until it is stopped.
import { ensureConsole } from './buildConsole.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: false })
  // without it the service is still worth starting: what went wrong is printed
  await ensureConsole()
  return runNode(['server/src/main.ts', ...process.argv.slice(2)], { watched: true })
})
