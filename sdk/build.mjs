// Builds what `npm pack` packs: dist, from nothing, and the licence of the repository.
import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
rmSync(`${folder}dist`, { recursive: true, force: true })
copyFileSync(`${folder}../LICENSE`, `${folder}LICENSE`)
const compiler = `${folder}../node_modules/typescript/bin/tsc`
const { status } = spawnSync(process.execPath, [compiler, '-p', `${folder}tsconfig.json`], { stdio: 'inherit' })
process.exitCode = status ?? 1
