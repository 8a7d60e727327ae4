// node scripts/with-node.mjs [--dev] FILE args…: installs what is missing, then runs the file under the right Node.
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  const words = process.argv.slice(2)
  const dev = words[0] === '--dev'
  if (dev) words.shift()
  if (words.length === 0) throw new Error('usage: node scripts/with-node.mjs [--dev] FILE args…')
  await ensureInstalled({ dev })
  return runNode(words)
})
