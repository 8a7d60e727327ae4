// npm run check: types, lint, format and the API description.
import { runChecks } from './checks.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  return (await runChecks()).code
})
