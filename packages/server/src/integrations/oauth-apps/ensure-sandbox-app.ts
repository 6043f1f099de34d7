import type { WorkspaceAccess } from '../../access/auth/caller.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { SYSTEM_ACTOR } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import type { Database } from '../../platform/storage/database.ts'
import { newId } from '../../platform/storage/id.ts'
import { StorageError } from '../../platform/storage/storage-error.ts'
import { SANDBOX_ORIGIN } from '../acme-sandbox/sandbox-api.ts'
import { SANDBOX_CLIENT_ID } from '../acme-sandbox/sandbox-host.ts'
import { ACME_SANDBOX_ID } from '../catalogue/offered-integration.ts'
import type { DefinitionId } from '../definitions/definition.ts'
import type { OAuthAppStore } from './oauth-app-store.ts'

export interface EnsureSandboxAppDeps {
  readonly database: Database
  readonly oauthApps: OAuthAppStore
  readonly now: () => number
}

/**
 * Creates the workspace's OAuth app for Acme Sandbox when a request names that tool for the first time: its client is public,
 * so there is none to register. Does nothing for other definitions.
 */
export async function ensureSandboxApp(
  { database, oauthApps, now }: EnsureSandboxAppDeps,
  access: WorkspaceAccess,
  workspaceId: WorkspaceId,
  definitionIds: readonly DefinitionId[],
): Promise<void> {
  if (!definitionIds.includes(ACME_SANDBOX_ID)) return
  const existing = await oauthApps.findForDefinition(
    database.read,
    access,
    workspaceId,
    ACME_SANDBOX_ID,
  )
  if (existing !== undefined) return
  const createdAt = now()
  const ids = { oauthAppId: newId('oap', createdAt), workspaceId, definitionId: ACME_SANDBOX_ID }
  const app = {
    ...ids,
    name: 'Acme Sandbox',
    clientId: SANDBOX_CLIENT_ID,
    sealedSecret: null,
    scopes: [],
    secretOrigins: [SANDBOX_ORIGIN],
    allowedHosts: [],
    failingSince: null,
    createdAt,
    updatedAt: createdAt,
  }
  await database
    .transaction(async (trx) => {
      await oauthApps.insert(trx, app)
      await record(trx, SYSTEM_ACTOR, createdAt, {
        action: 'oauth_app.created',
        workspaceId,
        subject: app.oauthAppId,
        detail: { definitionId: ACME_SANDBOX_ID },
      })
    })
    // Another request has created it at the same time.
    .catch((error) => {
      if (!(error instanceof StorageError && error.kind === 'unique')) throw error
    })
}
