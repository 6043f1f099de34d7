import { TOKEN_OPERATIONS } from '../access/tokens/operations.ts'
import { USER_OPERATIONS } from '../access/users/operations.ts'
import { WORKSPACE_OPERATIONS } from '../access/workspaces/operations.ts'
import { ACCOUNT_OPERATIONS } from '../accounts/accounts/operations.ts'
import { PROXY_OPERATIONS } from '../accounts/proxy/operations.ts'
import { UPGRADE_OPERATIONS } from '../accounts/upgrades/operations.ts'
import { ATTEMPT_OPERATIONS } from '../connect/attempts/operations.ts'
import { CONNECT_SESSION_OPERATIONS } from '../connect/connect-sessions/operations.ts'
import { LINK_OPERATIONS } from '../connect/links/operations.ts'
import { OAUTH_OPERATIONS } from '../connect/oauth-flow/operations.ts'

/** Every operation of the API: the OpenAPI document, the SDK, the command line and the generated tests come from this list. */
export const OPERATIONS = [
  ...USER_OPERATIONS,
  ...WORKSPACE_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...UPGRADE_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...PROXY_OPERATIONS,
  ...LINK_OPERATIONS,
  ...CONNECT_SESSION_OPERATIONS,
  ...ATTEMPT_OPERATIONS,
  ...OAUTH_OPERATIONS,
]
