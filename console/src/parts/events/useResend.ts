// Sends one delivery again.
import type { Delivery } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { toast, toastError } from '../toasts.tsx'

export function useResend() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (delivery: Pick<Delivery, 'id' | 'run_id'>) => runyard.deliveries.replay(delivery.id),
    onSuccess: (_, { run_id: runId }) => {
      toast('The event is sent again')
      const old = [['deliveries'], ['deliveryTargets'], ...(runId === null ? [] : [['run', runId]])]
      return Promise.all(old.map((queryKey) => queries.invalidateQueries({ queryKey })))
    },
    onError: (error) => toastError('The event could not be sent again', error),
  })
}
