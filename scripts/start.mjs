// npm start: installs what is missing, builds the console and the service where that is due, then runs the service until it is stopped.
import { ensureConsole } from './buildConsole.mjs'
import { serviceFile } from './buildService.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: false })
  // without the console the service is still worth starting: what went wrong is printed
  const [file] = await Promise.all([serviceFile(), ensureConsole()])
  return runNode([file, ...process.argv.slice(2)], { watched: true })
})
