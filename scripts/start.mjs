// npm start: installs what is missing, builds the console and the service where that is due, then runs the service until it is stopped.
import { ensureConsole } from './buildConsole.mjs'
import { serviceFile } from './buildService.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: false })
  // without it the service is still worth starting: what went wrong is printed
  await ensureConsole()
  return runNode([await serviceFile(), ...process.argv.slice(2)], { watched: true })
})
