import { cpSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '../../packages/server/src/platform/storage/id.ts'
import { findFreePort } from '../../packages/server/test/free-port.ts'
import type { TestPostgres } from '../../packages/server/test/postgres-cluster.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../../packages/server/test/reliability/service-process.ts'
import { sampleAccountIds } from '../fill-accounts.ts'
import { type BenchmarkedService, startSubject, toLocation } from '../subject.ts'
import type { DatabaseLocation } from './console-visit.ts'
import { fillActivity } from './fill-activity.ts'

/** A stopped service whose workspace has accounts, and something of everything that the console shows. */
export interface ConsoleDatabase extends DatabaseLocation {
  readonly setup: ServiceSetup
  readonly readToken: string
  readonly accountIds: readonly string[]
  /** By name of the parameter in paths of screens. */
  readonly ids: Readonly<Record<string, string>>
  /** Starts a service on the database itself. */
  start(settings?: Readonly<Record<string, string>>): Promise<ServiceProcess>
  /** Starts one on a copy, which `stop` removes. */
  startCopy(settings?: Readonly<Record<string, string>>): Promise<CopiedService>
  remove(): Promise<void>
}

/** A service on a database of its own. */
export interface CopiedService extends DatabaseLocation {
  readonly service: ServiceProcess
  stop(): Promise<void>
}

/** Fills a database with accounts and activity. */
export async function createConsoleDatabase(
  desk: { readonly url: string },
  accounts: number,
  postgres: TestPostgres | undefined,
): Promise<ConsoleDatabase> {
  const databaseUrl = await postgres?.createDatabase('console')
  const subject = await startSubject(desk, { databaseUrl, accounts, inOneWorkspace: true })
  const { setup, readToken } = subject
  const created = await createObjects(subject, desk)
  await subject.service.stop()
  const location = toLocation(setup)
  await fillActivity({
    ...location,
    workspaceId: subject.workspaceId as Id<'wsp'>,
    definitionId: subject.definitionId as Id<'def'>,
    accountIds: (await sampleAccountIds(location, SAMPLE)) as Id<'acc'>[],
  })
  const start = (settings = {}) => startService({ ...setup, settings })
  return {
    ...location,
    setup,
    readToken,
    accountIds: subject.accountIds,
    ids: created,
    start,
    startCopy: (settings = {}) => startCopy(setup, postgres, settings),
    remove: () => setup.remove(),
  }
}

const SAMPLE = 500

async function createObjects(
  { service, accountIds, definitionId, linkId, workspaceId }: BenchmarkedService,
  desk: { readonly url: string },
): Promise<Record<string, string>> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await service.call(method, `/v1/${path}`, body)
    if (response.status >= 300) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const { webhookEndpointId } = await call('POST', 'webhook_endpoint', {
    url: desk.url,
    types: ['account.updated'],
  })
  const integrationAccountId = accountIds[7] ?? ''
  await call('POST', `integration_account/${integrationAccountId}`, { tags: { plan: 'team' } })
  await call('POST', 'connect_session', { linkId, accountIdentifier: 'customer-1' })
  const { bulkJobId } = await call('POST', 'bulk_job', {
    action: 'connect_session',
    integrationAccountIds: accountIds.slice(0, 50),
  })
  const { memberId } = await call('POST', 'member', {
    email: 'sam@example.com',
    role: 'support',
    workspaceId,
  })
  const deliveries = `webhook_endpoint/${webhookEndpointId}/delivery`
  let [delivery] = await call('GET', deliveries)
  for (; delivery === undefined; [delivery] = await call('GET', deliveries)) await sleep(100)
  return {
    eventId: delivery.eventId,
    integrationAccountId,
    integrationDefinitionId: definitionId,
    linkId,
    webhookEndpointId,
    bulkJobId,
    memberId,
  }
}

async function startCopy(
  setup: ServiceSetup,
  postgres: TestPostgres | undefined,
  settings: Readonly<Record<string, string>>,
): Promise<CopiedService> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'linchpin-console-'))
  cpSync(setup.dataDir, dataDir, { recursive: true })
  const databaseUrl = await postgres?.createDatabase(`copy_${Date.now()}`, 'console')
  const port = await findFreePort()
  const copy = await createServiceSetup({ ...setup, dataDir, databaseUrl, port, settings })
  const service = await startService(copy)
  return {
    ...toLocation(copy),
    service,
    async stop() {
      await service.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
