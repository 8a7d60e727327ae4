// Webhooks: the URLs that a team's events are sent to, the outcome of each delivery, and sending again.
import { feature } from '../../kit/feature.ts'
import { createWebhook } from './createWebhook.ts'
import { deleteWebhook } from './deleteWebhook.ts'
import { deliveredEvents } from './deliveredEvents.ts'
import { delivererOf } from './deliveryRole.ts'
import { delivery } from './delivery.ts'
import { dropDelivered } from './dropDelivered.ts'
import { dropWaiting } from './dropWaiting.job.ts'
import { eraseDelivered } from './eraseDelivered.job.ts'
import { forgetEndedCallbacks } from './forgetEndedCallbacks.ts'
import { forgetTargets } from './forgetTargets.job.ts'
import { getWebhookDelivery } from './getWebhookDelivery.ts'
import { getWebhookDeliveryRequest } from './getWebhookDeliveryRequest.ts'
import { getWebhookSecret } from './getWebhookSecret.ts'
import { listDeliveryTargets } from './listDeliveryTargets.ts'
import { listWebhookDeliveries } from './listWebhookDeliveries.ts'
import { listWebhooks } from './listWebhooks.ts'
import { replayDeliveries, replayReadable } from './replayDeliveries.job.ts'
import { replayWebhook } from './replayWebhook.ts'
import { replayWebhookDelivery } from './replayWebhookDelivery.ts'
import { rotateWebhookSecret } from './rotateWebhookSecret.ts'
import { sealedSecrets } from './secret.ts'
import { sendAsSuspect } from './sendAsSuspect.ts'
import { targetKind } from './sendElsewhere.ts'
import { sweepDeliveries } from './sweepDeliveries.job.ts'
import { reapTargets } from './deliveryRows.ts'
import { testWebhook } from './testWebhook.ts'
import { undelivered } from './undelivered.ts'
import { updateWebhook } from './updateWebhook.ts'
import { subscription } from './webhook.ts'

export const webhooks = feature({
  name: 'webhooks',
  about: 'URLs that get a team’s events, signed and at least once, and the deliveries to them.',
  operations: [
    listWebhooks,
    createWebhook,
    updateWebhook,
    deleteWebhook,
    testWebhook,
    replayWebhook,
    getWebhookSecret,
    rotateWebhookSecret,
    listWebhookDeliveries,
    getWebhookDelivery,
    getWebhookDeliveryRequest,
    replayWebhookDelivery,
    listDeliveryTargets,
  ],
  resources: [subscription, delivery],
  jobs: [replayDeliveries, replayReadable, sweepDeliveries, eraseDelivered, dropWaiting, forgetTargets],
  evidence: deliveredEvents,
  hooks: { runsDeleted: forgetEndedCallbacks, eventsDropped: dropDelivered },
  work: (context, process) => delivererOf(context).work(process),
  worksInDrills: true,
  reap: ({ db }, dead) => reapTargets(db.sql, dead),
  driveSuspect: { [targetKind]: sendAsSuspect },
  onEvents: (context) => delivererOf(context).written(),
  keptEvents: undelivered,
  sealed: sealedSecrets,
})
