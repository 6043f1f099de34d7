import type { Screen } from '../screen.ts'
import { agentApprovalScreen } from './agent-approval.ts'
import { agentSessionScreen } from './agent-session.ts'
import { agentSessionsScreen, agentsScreen } from './agents.ts'
import { attemptsScreen } from './attempts.ts'
import { auditScreen } from './audit.ts'
import { bulkJobPagesScreen, bulkJobScreen } from './bulk-job.ts'
import { bulkJobsScreen } from './bulk-jobs.ts'
import { connectSessionsScreen, newConnectSessionScreen } from './connect-sessions.ts'
import { connectionScreen } from './connection.ts'
import { connectionToolsScreen } from './connection-tools.ts'
import { connectionsScreen } from './connections.ts'
import { customerScreen } from './customer.ts'
import { customersScreen } from './customers.ts'
import { eventScreen } from './event.ts'
import { integrationScreen } from './integration.ts'
import { integrationsScreen } from './integrations.ts'
import { keysScreen } from './keys.ts'
import { linkScreen } from './link.ts'
import { linkPreviewScreen } from './link-preview.ts'
import { linksScreen } from './links.ts'
import { logsScreen } from './logs.ts'
import { newLinkScreen } from './new-link.ts'
import { oauthAppScreen, otherOAuthAppScreen } from './oauth-app.ts'
import { oauthAppsScreen } from './oauth-apps.ts'
import { overviewScreen } from './overview.ts'
import { editOwnApiScreen, ownApiScreen } from './own-api.ts'
import { ownIntegrationScreen } from './own-integration.ts'
import { requestScreen } from './request.ts'
import { searchScreen } from './search.ts'
import { brandingScreen } from './settings-branding.ts'
import { instanceScreen } from './settings-instance.ts'
import { memberScreen, membersScreen, newMemberScreen } from './settings-members.ts'
import { newTokenScreen, tokenScreen, tokensScreen } from './settings-tokens.ts'
import { workspaceSettingsScreen } from './settings-workspace.ts'
import { testRequestScreen } from './test-request.ts'
import { upgradeScreen } from './upgrade.ts'
import { webhookScreen } from './webhook.ts'
import { webhookDeliveryScreen } from './webhook-delivery.ts'
import { editWebhookScreen } from './webhook-edit.ts'
import { newWebhookScreen } from './webhook-new.ts'
import { webhooksScreen } from './webhooks.ts'
import { welcomeScreen } from './welcome.ts'

/** Every screen of the console. */
export const SCREENS: readonly Screen[] = [
  agentsScreen,
  agentSessionsScreen,
  agentApprovalScreen,
  agentSessionScreen,
  overviewScreen,
  connectionsScreen,
  bulkJobsScreen,
  bulkJobScreen,
  bulkJobPagesScreen,
  connectionScreen,
  connectionToolsScreen,
  customersScreen,
  customerScreen,
  testRequestScreen,
  integrationsScreen,
  ownIntegrationScreen,
  ownApiScreen,
  integrationScreen,
  oauthAppScreen,
  oauthAppsScreen,
  otherOAuthAppScreen,
  upgradeScreen,
  editOwnApiScreen,
  webhooksScreen,
  newWebhookScreen,
  webhookScreen,
  editWebhookScreen,
  webhookDeliveryScreen,
  logsScreen,
  requestScreen,
  eventScreen,
  auditScreen,
  workspaceSettingsScreen,
  brandingScreen,
  membersScreen,
  newMemberScreen,
  memberScreen,
  tokensScreen,
  newTokenScreen,
  tokenScreen,
  instanceScreen,
  linksScreen,
  newLinkScreen,
  connectSessionsScreen,
  newConnectSessionScreen,
  linkScreen,
  linkPreviewScreen,
  attemptsScreen,
  welcomeScreen,
  searchScreen,
  keysScreen,
]
