// The operations that leave an entry in the audit log: those that change something.
import { queryOptions } from '@tanstack/react-query'

/** The table of operations is large, and comes with the first look at the filter. */
export const mutationsQuery = queryOptions({
  queryKey: ['mutations'],
  queryFn: async () => {
    const { operations } = await import('../../../generated/operations.ts')
    return Object.entries(operations)
      .filter(([, { verb }]) => verb !== 'GET')
      .map(([id]) => id)
  },
  staleTime: Infinity,
})
