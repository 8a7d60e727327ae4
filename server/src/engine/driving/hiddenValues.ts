// What a run may use and nobody may see: cut out of everything that leaves the run, and put into a call only when it leaves.
import { hash } from 'node:crypto'
import { joined, scrubbed, scrubberOf, type Scrub } from '../../base/knownSecrets.ts'
import { isRecord } from '../../base/isRecord.ts'
import { marksOf } from '../../base/secretMark.ts'
import type { Turn, WantedCall } from '../../drivers/model/model.ts'
import { blobsOfRuns } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import type { GivenTo } from '../../kit/given.ts'
import { connectionUseOf, hiddenValuesOf, secretUseOf } from '../../kit/registry.ts'
import type { CallingRun, Outcome, OutsideTool, Tool } from '../../kit/tool.ts'
import type { LoadedBuild } from '../builds/loadBuild.ts'

/** Whatever the build's connections, secrets and logins hold is known to be secret. Undefined: they hold nothing. */
export async function readScrubber(
  context: Context,
  run: CallingRun,
  { connections, given }: Pick<LoadedBuild, 'connections' | 'given'>,
): Promise<Scrub | undefined> {
  const use = connections.length > 0 ? connectionUseOf(context) : undefined
  const [ofConnections, values] = await Promise.all([
    use?.scrubber({ context, teamId: run.team_id, connectionIds: connections }),
    given.secrets.length + given.logins.length > 0 ? hiddenValuesOf({ context, run, given }) : [],
  ])
  if (values.length === 0) return ofConnections
  const ofGiven = scrubberOf(values)
  return ofConnections ? joined([ofConnections, ofGiven]) : ofGiven
}

/** What a model said, without what it may have put together from pieces. */
export const cleanTurn = (turn: Turn, scrub: Scrub | undefined): Turn => (scrub ? scrubbed(turn, scrub) : turn)

/** Why the arguments of a call may not name secrets as they do; undefined: they may. */
export function markProblem(
  tool: Tool,
  args: unknown,
  { isOfProcedure, given }: { isOfProcedure: boolean; given: GivenTo['given'] },
): string | undefined {
  if (marksOf(args).length === 0) return undefined
  // whoever can make a model write a call must not choose which secret leaves with it
  if (!isOfProcedure) return 'Only the blocks of a procedure may name secrets. Run the block that makes this call.'
  const open = tool.kind === 'outside' ? tool.takesSecrets : undefined
  if (open === undefined) return `${tool.name} takes no secrets: they stand only in calls that leave the service.`
  const others = open === true ? [] : Object.entries(args as object).filter(([name]) => !open.includes(name))
  if (marksOf(others).length > 0) return `${tool.name} takes secrets only in ${(open as string[]).join(' and ')}.`
  return given.secrets.length > 0 ? undefined : 'The build names no secrets. Add them to data.secrets of its config.'
}

/** Whether a call was written by the procedure and not by a model. */
export const isOfProcedure = (call: WantedCall, isPure: boolean): boolean => isPure || call.name === 'run_step'

/** The arguments as they leave. */
export async function filledInput(asked: GivenTo, tool: OutsideTool<never>, input: unknown): Promise<unknown> {
  if (tool.takesSecrets === undefined || marksOf(input).length === 0) return input
  const use = secretUseOf(asked.context)
  if (!use) throw new Error('This server keeps no secrets.')
  return use.putIn({ ...asked, input })
}

/** A file that holds a secret in its bytes is not shown. What came along was made by us, and covers what is hidden (masking.ts). */
export async function withoutSecretFiles(
  { scrub, context }: { scrub: Scrub | undefined; context: Context },
  outcome: Outcome,
): Promise<Outcome> {
  const asked = outcome.shows?.filter(({ is_aside }) => !is_aside) ?? []
  if (!scrub || asked.length === 0) return outcome
  const written = outcome.writes?.map(({ bytes }) => bytes) ?? []
  const stored = await blobsOfRuns(context, context.db.sql).get(asked.map(({ sha256 }) => sha256))
  const holds = (bytes: Buffer) => {
    const text = bytes.toString('latin1')
    return scrub(text) !== text
  }
  // what is written with the result was cut already, and is another file then
  const bad = asked.filter(({ sha256 }) => {
    const bytes = stored.get(sha256)
    return bytes ? holds(bytes) : !written.some((one) => hash('sha256', one) === sha256)
  })
  if (bad.length === 0) return outcome
  const shows = outcome.shows?.filter((file) => !bad.includes(file)) ?? []
  const said = bad.map(({ name }) => `${name} is not shown: it holds a secret.`)
  if ('error' in outcome) return { ...outcome, shows }
  const { result } = outcome
  return { ...outcome, shows, result: isRecord(result) ? { ...result, not_shown: said } : { result, not_shown: said } }
}
