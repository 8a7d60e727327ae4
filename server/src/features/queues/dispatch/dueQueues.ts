// Queues that need dispatching, in turns by team: a team with thousands of queues does not delay another team's only one.

export interface DueQueues {
  /** Adds a queue; adding one that is already due does nothing. */
  add(teamId: string, queueId: string): void
  /** The first queue of the team whose turn it is; that team then goes behind the others. */
  next(): string | undefined
}

export function createDueQueues(): DueQueues {
  const lines = new Map<string, Set<string>>()
  return {
    add(teamId, queueId) {
      const line = lines.get(teamId)
      if (line) line.add(queueId)
      else lines.set(teamId, new Set([queueId]))
    },
    next() {
      const [first] = lines
      if (!first) return undefined
      const [teamId, line] = first
      const [queueId] = line
      line.delete(queueId!)
      lines.delete(teamId)
      if (line.size > 0) lines.set(teamId, line)
      return queueId
    },
  }
}
