// Alerts: rules over what a team's agents do, and the incidents that they open.
import { feature } from '../../kit/feature.ts'
import { acknowledgeAlertIncident } from './acknowledgeAlertIncident.ts'
import { alertRule } from './alertRule.ts'
import { createAlertRule } from './createAlertRule.ts'
import { deleteAlertRule } from './deleteAlertRule.ts'
import { getAlertIncident } from './getAlertIncident.ts'
import { getAlertRule } from './getAlertRule.ts'
import { incident } from './incident.ts'
import { listAlertIncidents } from './listAlertIncidents.ts'
import { listAlertRules } from './listAlertRules.ts'
import { previewAlertRule } from './previewAlertRule.ts'
import { sweepAlerts } from './sweepAlerts.job.ts'
import { updateAlertRule } from './updateAlertRule.ts'
import { watchRules } from './watchRules.ts'

export const alerts = feature({
  name: 'alerts',
  about: 'Rules over failures, waits, cost and misses, and the incidents that they open.',
  operations: [
    listAlertRules,
    createAlertRule,
    previewAlertRule,
    getAlertRule,
    updateAlertRule,
    deleteAlertRule,
    listAlertIncidents,
    getAlertIncident,
    acknowledgeAlertIncident,
  ],
  resources: [alertRule, incident],
  jobs: [sweepAlerts],
  tick: watchRules,
})
