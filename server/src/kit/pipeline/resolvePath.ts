// The stage that finds the records which the path names, each of the caller's team.
import { Fault } from '../../base/errors.ts'
import { isId } from '../../base/ids.ts'
import { isMutating } from '../operation.ts'
import { registryOf } from '../registry.ts'
import { nounOf } from '../resources.ts'
import type { Exchange } from './exchange.ts'

export async function resolvePath({ deps, operation, request, caller, found, plain, db }: Exchange): Promise<void> {
  const { resources } = registryOf(deps.context)
  for (const name of operation.parameters) {
    const noun = nounOf(name)
    const value = request.params[name] ?? ''
    if (noun === 'team') continue
    const resource = noun === undefined ? undefined : resources.get(noun)
    if (noun === undefined || !resource) {
      if (value.includes('\0')) throw new Fault('not_found')
      plain[name] = value
      continue
    }
    const [row] = isId(value) ? await resource.find(db.sql, value, caller.team_id, caller) : []
    // a record that the path puts below another must say so itself: its `agent_id` is the agent of the path
    const isMisplaced = found.some(({ noun: parent, id }) => {
      const ofParent = (row as Record<string, unknown> | undefined)?.[`${parent}_id`]
      return ofParent !== undefined && ofParent !== id
    })
    if (!row || isMisplaced) throw new Fault('not_found')
    if (isMutating(operation)) await resource.requireChange?.(db.sql, row as never, caller)
    found.push({ noun, id: value, row })
  }
}
