import { getInstanceOperation } from '../access/instance/get-instance.ts'
import { MEMBER_OPERATIONS } from '../access/members/member-operations.ts'
import { TOKEN_OPERATIONS } from '../access/tokens/token-operations.ts'
import { USER_OPERATIONS } from '../access/users/user-operations.ts'
import { WORKSPACE_OPERATIONS } from '../access/workspaces/workspace-operations.ts'
import { ACCOUNT_OPERATIONS } from '../accounts/accounts/operations.ts'
import { AGENT_ACCESS_OPERATIONS } from '../accounts/agents/agent-access.ts'
import { AGENT_APPROVAL_OPERATIONS } from '../accounts/agents/agent-approval-operations.ts'
import { AGENT_SESSION_OPERATIONS } from '../accounts/agents/agent-session-operations.ts'
import { SIGN_IN_REQUEST_OPERATIONS } from '../accounts/agents/sign-in-request-operations.ts'
import { TOOL_OPERATIONS } from '../accounts/mcp-client/tool-operations.ts'
import { PROXY_OPERATIONS } from '../accounts/proxy/operations.ts'
import { UPGRADE_OPERATIONS } from '../accounts/upgrades/operations.ts'
import { exportAuditEventsOperation } from '../activity/audit/export-audit-events.ts'
import { listAuditEventsOperation } from '../activity/audit/list-audit-events.ts'
import { EVENT_OPERATIONS } from '../activity/events/event-operations.ts'
import { REQUEST_OPERATIONS } from '../activity/requests/request-operations.ts'
import { STATISTICS_OPERATIONS } from '../activity/statistics/get-statistics.ts'
import { WEBHOOK_OPERATIONS } from '../activity/webhooks/operations.ts'
import { ATTEMPT_OPERATIONS } from '../connect/attempts/attempt-operations.ts'
import { createAccountThroughLinkOperation } from '../connect/attempts/create-account-through-link.ts'
import { BULK_JOB_OPERATIONS } from '../connect/bulk-jobs/bulk-job-operations.ts'
import { CONNECT_SESSION_OPERATIONS } from '../connect/connect-sessions/connect-session-operations.ts'
import { LINK_OPERATIONS } from '../connect/links/link-operations.ts'
import { OAUTH_OPERATIONS } from '../connect/oauth-flow/oauth-operations.ts'
import { DEFINITION_OPERATIONS } from '../integrations/definitions/operations.ts'
import { OAUTH_APP_OPERATIONS } from '../integrations/oauth-apps/operations.ts'
import { deleteWorkspaceOperation } from '../privacy/erasure/delete-workspace.ts'
import { eraseCustomerOperation } from '../privacy/erasure/erase-customer.ts'
import { exportCustomerOperation } from '../privacy/erasure/export-customer.ts'

/** What needs no hooks of its own around it. */
export const ROUTED_OPERATIONS = [
  ...USER_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...MEMBER_OPERATIONS,
  ...DEFINITION_OPERATIONS,
  ...UPGRADE_OPERATIONS,
  ...OAUTH_APP_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...AGENT_SESSION_OPERATIONS,
  ...AGENT_APPROVAL_OPERATIONS,
  ...AGENT_ACCESS_OPERATIONS,
  ...SIGN_IN_REQUEST_OPERATIONS,
  ...LINK_OPERATIONS,
  createAccountThroughLinkOperation,
  ...CONNECT_SESSION_OPERATIONS,
  ...BULK_JOB_OPERATIONS,
  ...ATTEMPT_OPERATIONS,
  ...OAUTH_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  listAuditEventsOperation,
  exportAuditEventsOperation,
  ...REQUEST_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  eraseCustomerOperation,
  exportCustomerOperation,
  deleteWorkspaceOperation,
  getInstanceOperation,
]

/** Every operation of the API: the OpenAPI document, the SDK, the command line and the generated tests come from this list. */
export const OPERATIONS = [...ROUTED_OPERATIONS, ...PROXY_OPERATIONS]

/** The operations of the API, and their methods of the SDK: `group.method`. */
export const SDK_METHODS: Readonly<Record<string, string>> = Object.fromEntries(
  OPERATIONS.flatMap(({ id, sdk }) => (sdk === undefined ? [] : [[id, sdk]])),
)
