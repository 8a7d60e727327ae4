// What a team uses, and what it may use.
import { foldUsage } from '../../engine/counting/foldUsage.job.ts'
import { feature } from '../../kit/feature.ts'
import { getBillingEntitlements } from './getBillingEntitlements.ts'
import { getBillingUsage } from './getBillingUsage.ts'
import { getBillingUsageHistory } from './getBillingUsageHistory.ts'
import { listModelUsage } from './listModelUsage.ts'

export const billing = feature({
  name: 'billing',
  about: 'What a team uses, and what it may use.',
  operations: [getBillingUsage, getBillingEntitlements, getBillingUsageHistory, listModelUsage],
  jobs: [foldUsage],
})
