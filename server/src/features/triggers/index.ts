// Triggers: runs that start because something happened outside, each thing once over all processes.
import { feature, type Work } from '../../kit/feature.ts'
import { createAgentTrigger } from './createAgentTrigger.ts'
import { deleteTrigger } from './deleteTrigger.ts'
import { forgetDeliveries, forgetTriggers } from './forgetTriggers.ts'
import { getTrigger } from './getTrigger.ts'
import { getTriggerDelivery } from './getTriggerDelivery.ts'
import { listAgentTriggers } from './listAgentTriggers.ts'
import { listTriggerDeliveries } from './listTriggerDeliveries.ts'
import { startMailbox } from './mailbox.ts'
import { mountAddresses } from './receive.ts'
import { reapPolls, startPoller } from './poller.ts'
import { replayTriggerDelivery } from './replayTriggerDelivery.ts'
import { rotateTriggerAddress } from './rotateTriggerAddress.ts'
import { startDeliveries } from './startDeliveries.ts'
import { sweepTriggers } from './sweepTriggers.job.ts'
import { sealedTriggers, trigger } from './trigger.ts'
import { triggerDelivery } from './triggerDelivery.ts'
import { triggerStarts } from './triggerStarts.ts'
import { updateTrigger } from './updateTrigger.ts'

export const triggers = feature({
  name: 'triggers',
  about: 'What starts runs of an agent from outside: webhooks, events, polls and mail, and the deliveries to them.',
  operations: [
    listAgentTriggers,
    createAgentTrigger,
    getTrigger,
    updateTrigger,
    deleteTrigger,
    rotateTriggerAddress,
    listTriggerDeliveries,
    getTriggerDelivery,
    replayTriggerDelivery,
  ],
  resources: [trigger, triggerDelivery],
  jobs: [sweepTriggers],
  hooks: { agentDeleted: forgetTriggers, runsDeleted: forgetDeliveries },
  tick: startDeliveries,
  work: (context, process) => together(startPoller(context, process), startMailbox(context)),
  reap: reapPolls,
  sealed: sealedTriggers,
  runStarts: triggerStarts,
  routes: mountAddresses,
})

const together = (...works: Work[]): Work => ({
  async poll() {
    await Promise.all(works.map((work) => work.poll()))
  },
  async stop() {
    await Promise.all(works.map((work) => work.stop()))
  },
})
