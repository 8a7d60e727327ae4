// Records of a team by name: in files, ids of one team would mean nothing to another.
import { CommandFailed } from '../command.ts'

export interface NamedRecord {
  id: string
  name: string
}

/** A name stands for a record when only one has it. */
export const nameFor = (records: NamedRecord[], id: string): string => {
  const found = records.find((one) => one.id === id)
  return found && records.filter(({ name }) => name === found.name).length === 1 ? found.name : id
}

export function idFor(records: NamedRecord[], given: string, noun: string): string {
  const found = records.filter(({ id, name }) => id === given || name === given)
  const [only] = found
  if (!only || found.length > 1)
    throw new CommandFailed(
      `The team has ${found.length} ${noun}s "${given}". It must have exactly one with this name.`,
    )
  return only.id
}
