// The service whose calls to `/kill` end the process that makes them, without a word: what the proofs about deadly work start.
import { features } from '../../src/features.ts'
import { httpSet } from '../../src/engine/tools/http.ts'
import type { OutsideTool } from '../../src/kit/tool.ts'
import { exitWith, main } from '../../src/main.ts'

const tool = httpSet.tools[0] as unknown as OutsideTool
const { execute } = tool
tool.execute = (call, outside) => {
  if (new URL((call.input as { url: string }).url).pathname === '/kill') process.kill(process.pid, 'SIGKILL')
  return execute(call, outside)
}

main(process.argv.slice(2), [...features]).then(() => process.exit(0), exitWith)
