// What both bundles ask of their callers.
import { Fault } from '../../base/errors.ts'
import type { Caller } from '../../kit/credential.ts'
import { eventNames, scopeOfEvent } from '../../kit/event.ts'
import { Type } from '../../kit/schema.ts'

export const bundleType = 'application/zip'

export const ContentsQuery = Type.Object({
  contents: Type.Optional(Type.Boolean({ description: 'With the contents of files, and not only their hashes.' })),
})

const scopesOfEvents = [...new Set(eventNames.filter((name) => name.startsWith('run.')).map(scopeOfEvent))]

/** The rows of a log are sealed as they are: nothing can be left out of them for a caller who may not read it. */
export function requireAllEvents({ scopes }: Pick<Caller, 'scopes'>): void {
  const missing = scopesOfEvents.filter((scope) => !scopes.has(scope))
  if (missing.length > 0) {
    throw new Fault(
      'insufficient_scope',
      `A bundle has every event of a run. It needs the scope ${missing.join(' and ')} too.`,
    )
  }
}
