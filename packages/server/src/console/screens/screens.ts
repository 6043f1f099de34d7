import type { Screen } from '../screen.ts'
import { connectionScreen } from './connection.ts'
import { connectionsScreen } from './connections.ts'
import { integrationScreen } from './integration.ts'
import { integrationsScreen } from './integrations.ts'
import { oauthAppScreen } from './oauth-app.ts'
import { overviewScreen } from './overview.ts'
import { ownIntegrationScreen } from './own-integration.ts'
import { testRequestScreen } from './test-request.ts'
import { upgradeScreen } from './upgrade.ts'

/** Every screen of the console. */
export const SCREENS: readonly Screen[] = [
  overviewScreen,
  connectionsScreen,
  connectionScreen,
  testRequestScreen,
  integrationsScreen,
  ownIntegrationScreen,
  integrationScreen,
  oauthAppScreen,
  upgradeScreen,
]
