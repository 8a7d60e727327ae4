// Reading the audit log; the kit writes it.
import { feature } from '../../kit/feature.ts'
import { listAuditLog } from './listAuditLog.ts'

export const auditLog = feature({
  name: 'auditLog',
  about: 'Who changed what, when, and how it ended.',
  operations: [listAuditLog],
})
