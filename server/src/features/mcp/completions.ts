// Completions: the ids and names that fit what was typed so far, from the first page of the list that has them.
import type { CallOperation } from './callOperation.ts'

interface Source {
  operationId: string
  /** The key of the answer that holds the records. */
  key: string
  /** What of a record is offered. */
  fields: ('id' | 'name')[]
}

const sources: Record<string, Source> = {
  agent: { operationId: 'listAgents', key: 'agents', fields: ['name', 'id'] },
  agent_id: { operationId: 'listAgents', key: 'agents', fields: ['id'] },
  queue: { operationId: 'listQueues', key: 'queues', fields: ['name', 'id'] },
  run_id: { operationId: 'listRuns', key: 'data', fields: ['id'] },
}

/** The protocol takes at most 100. */
const valuesMax = 100

export async function completionsFor(use: CallOperation, argument: { name: string; value: string }) {
  const source = Object.hasOwn(sources, argument.name) ? sources[argument.name] : undefined
  const reply = source && (await use(source.operationId, { limit: valuesMax }))
  if (!source || !reply || reply.status >= 400) return { values: [] }
  const records = (JSON.parse(reply.body ?? '{}') as Record<string, { id: string; name: string }[]>)[source.key] ?? []
  const typed = argument.value.toLowerCase()
  const fitting = records.flatMap((record) =>
    source.fields.map((field) => record[field]).filter((value) => value.toLowerCase().startsWith(typed)),
  )
  const values = [...new Set(fitting)].slice(0, valuesMax)
  return { values, total: values.length, hasMore: fitting.length > values.length }
}
