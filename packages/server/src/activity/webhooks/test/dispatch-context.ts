import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TEST_POSTGRES } from '../../../../test/postgres.ts'
import { SYSTEM_ACTOR } from '../../../platform/record/change.ts'
import type { EventType } from '../../../platform/record/event-types.ts'
import { record } from '../../../platform/record/record-store.ts'
import type { Database, Transaction } from '../../../platform/storage/database.ts'
import { newId } from '../../../platform/storage/id.ts'
import { openDatabase } from '../../../platform/storage/open-database.ts'
import { insertSampleRows } from '../../../platform/storage/test/test-database.ts'
import { parseKeys } from '../../../platform/vault/key-ring.ts'
import { createVault, type Vault } from '../../../platform/vault/vault.ts'
import { createNumberStore } from '../../events/number-store.ts'
import type { DeliveryFailureRow, DeliveryRow } from '../delivery.ts'
import { generateSigningSecrets, sealSigningSecrets } from '../endpoint-secrets.ts'
import { createFanOut } from '../fan-out-store.ts'
import type { WebhookEndpoint, WebhookEndpointId, WebhookEndpointRow } from '../webhook-endpoint.ts'
import { createWebhookEndpointStore } from '../webhook-endpoint-store.ts'

type WorkspaceId = `wsp_${string}`

type PublishedArguments = [
  workspaceId: WorkspaceId,
  type: EventType,
  subject: string,
  data?: Readonly<Record<string, unknown>>,
]

/** A database with workspaces and endpoints, without a service. */
export type DispatchTestContext = Awaited<ReturnType<typeof startDispatchTestContext>>

/** Opens a database. With `file`, or the URL of a database that is in use, several processes share it. */
export async function startDispatchTestContext(options: {
  readonly url?: string | undefined
  readonly file?: string | undefined
  readonly now?: () => number
}) {
  const now = options.now ?? Date.now
  const folder = await mkdtemp(path.join(tmpdir(), 'linchpin-webhooks-'))
  const file = options.file ?? path.join(folder, 'linchpin.db')
  const database = await openDatabase({ url: options.url, file, postgres: TEST_POSTGRES })
  await database.migrate()
  const keys = parseKeys(`k1:${Buffer.alloc(32, 7).toString('base64')}`)
  const vault = createVault({ database, keys, now })
  const events = createNumberStore(database, createFanOut(database, now))
  const writes = createWrites(database, vault, now)
  return {
    database,
    vault,
    events,
    file,
    url: options.url,
    ...writes,
    ...createReads(database),

    /** Numbers all events of the workspace. */
    async number(workspaceId: WorkspaceId): Promise<void> {
      while (await events.number([workspaceId], 200)) {
        // There may be more.
      }
    },

    async close(): Promise<void> {
      await database.close()
      await rm(folder, { recursive: true })
    },
  }
}

function createWrites(database: Database, vault: Vault, now: () => number) {
  const endpoints = createWebhookEndpointStore(database)
  const publishIn = (
    trx: Transaction,
    ...[workspaceId, type, subject, data = {}]: PublishedArguments
  ) =>
    record(trx, SYSTEM_ACTOR, now(), {
      action: 'link.created',
      workspaceId,
      subject,
      event: { type, subject, data },
    })
  return {
    async createWorkspace(): Promise<WorkspaceId> {
      const { users, workspaces } = await insertSampleRows(database, [])
      const owner = await database.read.selectFrom('users').select('user_id').executeTakeFirst()
      const userId = owner?.user_id ?? users.user_id
      const workspaceId = newId('wsp', Date.now())
      await database.transaction(async (trx) => {
        if (owner === undefined) await trx.insertInto('users').values(users).execute()
        const ids = { workspace_id: workspaceId, user_id: userId, slug: workspaceId.toLowerCase() }
        await trx
          .insertInto('workspaces')
          .values({ ...workspaces, ...ids })
          .execute()
        await vault.createWorkspaceKey(trx, workspaceId)
      })
      return workspaceId
    },

    async createEndpoint(
      workspaceId: WorkspaceId,
      change: Partial<WebhookEndpoint> = {},
    ): Promise<WebhookEndpointId> {
      const endpointId = newId('whe', now())
      const secrets = [generateSigningSecrets()]
      const sealed = await sealSigningSecrets(vault, { endpointId, workspaceId }, secrets)
      const endpoint: WebhookEndpoint = {
        ...DEFAULTS,
        endpointId,
        workspaceId,
        ...sealed,
        ...change,
      }
      await database.transaction((trx) => endpoints.insert(trx, endpoint))
      return endpointId
    },

    publish: (...event: PublishedArguments) =>
      database.transaction((trx) => publishIn(trx, ...event)),

    publishIn,

    changeEndpoint: (endpointId: WebhookEndpointId, change: Partial<WebhookEndpointRow>) =>
      database.transaction((trx) =>
        trx
          .updateTable('webhook_endpoints')
          .set(change)
          .where('endpoint_id', '=', endpointId)
          .execute(),
      ),

    changeDelivery: (
      endpointId: WebhookEndpointId,
      sequence: number,
      change: Partial<DeliveryRow>,
    ) =>
      database.transaction((trx) =>
        trx
          .updateTable('deliveries')
          .set(change)
          .where('endpoint_id', '=', endpointId)
          .where('sequence', '=', sequence)
          .execute(),
      ),
  }
}

function createReads(database: Database) {
  return {
    readEndpoint: (endpointId: WebhookEndpointId): Promise<WebhookEndpointRow> =>
      database.read
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirstOrThrow(),

    listFailures: (endpointId: WebhookEndpointId): Promise<DeliveryFailureRow[]> =>
      database.read
        .selectFrom('delivery_failures')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .orderBy('sequence')
        .orderBy('attempt')
        .execute(),

    listDeliveries: (endpointId: WebhookEndpointId): Promise<DeliveryRow[]> =>
      database.read
        .selectFrom('deliveries')
        .selectAll()
        .where('endpoint_id', '=', endpointId)
        .orderBy('sequence')
        .orderBy('round')
        .execute(),
  }
}

const DEFAULTS = {
  url: 'https://example.com/hooks',
  description: '',
  types: null,
  definitionIds: null,
  payload: 'full',
  version: 1,
  ordering: 'account',
  signature: 'v1',
  maxInFlight: 8,
  sealedHeaders: null,
  headerNames: [],
  state: 'active',
  stateReason: null,
  failingSince: null,
  lastSuccessAt: null,
  pending: 0,
  createdAt: 0,
  updatedAt: 0,
} as const satisfies Partial<WebhookEndpoint>
