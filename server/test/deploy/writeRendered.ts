// Writes what the chart becomes beside the tests. It needs Go: node scripts/with-node.mjs --dev server/test/deploy/writeRendered.ts
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { chartHash, findGo, headOf, renderChart, renderedFile } from './chart.ts'

const found = await findGo()
if ('missing' in found) throw new Error(found.missing)
const head = headOf(await chartHash())
for (const [which, text] of Object.entries(await renderChart(found))) {
  await mkdir(dirname(renderedFile(which)), { recursive: true })
  await writeFile(renderedFile(which), head + text)
}
