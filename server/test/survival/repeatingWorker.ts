// The service with a planted fault, for the drill that must find it: a call is made once more a second after its result was recorded.
import { httpSet } from '../../src/engine/tools/http.ts'
import { features } from '../../src/features.ts'
import type { OutsideTool } from '../../src/kit/tool.ts'
import { exitWith, main } from '../../src/main.ts'

const tool = httpSet.tools[0] as unknown as OutsideTool
const { execute } = tool
tool.execute = async (call, outside) => {
  const outcome = await execute(call, outside)
  setTimeout(() => {
    // whoever stops before then does not repeat it
    execute(call, { ...outside, signal: AbortSignal.timeout(10_000) }).catch(() => undefined)
  }, 1000)
  return outcome
}

main(process.argv.slice(2), features).then(() => process.exit(0), exitWith)
