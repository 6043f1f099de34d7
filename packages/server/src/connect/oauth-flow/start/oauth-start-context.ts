import type { Spec } from '@linchpin/runner'
import type { Workspace } from '../../../access/workspaces/workspace.ts'
import type { Account } from '../../../accounts/accounts/account.ts'
import type { AccountTenant } from '../../../accounts/accounts/credentials/account-config.ts'
import type { Definition } from '../../../integrations/definitions/definition.ts'
import type { DiscoveredServer } from '../../../integrations/oauth/discovery/authorization-server.ts'
import type { NamedOAuthType } from '../../../integrations/oauth/spec/parse-oauth-type.ts'
import type { ScopesPlan } from '../../../integrations/oauth/spec/scopes.ts'
import type { OAuthApp } from '../../../integrations/oauth-apps/oauth-app.ts'
import type { Link } from '../../links/link.ts'

/** The target of a start, with all references resolved and validated. */
export interface OAuthStartContext extends NamedOAuthType, ScopesPlan {
  readonly tenant: AccountTenant
  readonly workspace: Workspace
  /** The link through which the account is added. */
  readonly link: Link | undefined
  readonly definition: Definition
  readonly app: OAuthApp
  /** The account to reconnect. */
  readonly account: Account | undefined
  /** The configuration of that account, without the fields that the provider fills. */
  readonly storedConfig: Readonly<Record<string, unknown>>
  readonly spec: Spec
  /** The server that says where people sign in; undefined if the spec does. */
  readonly discovered: DiscoveredServer | undefined
}
