import type { Alert } from './alert.ts'
import { CONNECTION_ALERTS } from './connection-alerts.ts'
import { LOAD_ALERTS } from './load-alerts.ts'
import { SERVICE_ALERTS } from './service-alerts.ts'
import { STORAGE_ALERTS } from './storage-alerts.ts'
import { WEBHOOK_ALERTS } from './webhook-alerts.ts'

/** Every alert, in the order of docs/runbooks.md. */
export const ALERTS: readonly Alert[] = [
  ...SERVICE_ALERTS,
  ...LOAD_ALERTS,
  ...STORAGE_ALERTS,
  ...CONNECTION_ALERTS,
  ...WEBHOOK_ALERTS,
]
