import { exportAuditEventsOperation } from './export-audit-events.ts'
import { listAuditEventsOperation } from './list-audit-events.ts'

export const AUDIT_OPERATIONS = [listAuditEventsOperation, exportAuditEventsOperation]
