// Human requests: the inbox of questions, forms and approvals that runs ask people, and their answers.
import { feature } from '../../kit/feature.ts'
import { assignHumanRequest } from './assignHumanRequest.ts'
import { cancelHumanRequest } from './cancelHumanRequest.ts'
import { getHumanRequest } from './getHumanRequest.ts'
import { getHumanRequestCounts } from './getHumanRequestCounts.ts'
import { request } from './humanRequest.ts'
import { listHumanRequests } from './listHumanRequests.ts'
import { respondToHumanRequest } from './respondToHumanRequest.ts'
import { withdrawApproval } from './withdrawApproval.ts'

export const humanRequests = feature({
  name: 'humanRequests',
  listedUnder: 'runs',
  operations: [
    listHumanRequests,
    getHumanRequestCounts,
    getHumanRequest,
    respondToHumanRequest,
    withdrawApproval,
    assignHumanRequest,
    cancelHumanRequest,
  ],
  resources: [request],
})
