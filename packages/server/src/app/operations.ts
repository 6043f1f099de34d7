import { AUDIT_OPERATIONS } from '../activity/audit/operations.ts'
import { EVENT_OPERATIONS } from '../activity/events/operations.ts'
import { WEBHOOK_OPERATIONS } from '../activity/webhooks/operations.ts'
import { LINK_OPERATIONS, LINK_READS } from '../connect/links/operations.ts'
import { DEFINITION_OPERATIONS, DEFINITION_READS } from '../integrations/definitions/operations.ts'
import { OAUTH_APP_OPERATIONS } from '../integrations/oauth-apps/operations.ts'
import { ERASURE_OPERATIONS } from '../privacy/erasure/operations.ts'

/** Every operation of the API: the OpenAPI document, the SDK, the command line and the generated tests come from this list. */
export const OPERATIONS = [
  ...DEFINITION_READS,
  ...DEFINITION_OPERATIONS,
  ...OAUTH_APP_OPERATIONS,
  ...LINK_READS,
  ...LINK_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...ERASURE_OPERATIONS,
]
