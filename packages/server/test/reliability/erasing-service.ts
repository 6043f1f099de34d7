import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillCustomer, MARK } from './customer-accounts.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { type ServiceProcess, type ServiceSetup, startService } from './service-process.ts'

/** A service, which a test may restart. */
export interface RunningService {
  current: ServiceProcess
}

/** A service with a customer of many accounts, and the requests that erase it or its workspace. */
export interface ErasingService {
  readonly service: RunningService
  readonly erase: () => ReturnType<ServiceProcess['call']>
  readonly remove: () => ReturnType<ServiceProcess['call']>
  readonly fill: () => Promise<void>
}

/** Starts a service with `count` accounts of one customer. */
export async function startErasingService(
  t: TestContext,
  setup: ServiceSetup,
  count: number,
): Promise<ErasingService> {
  const provider = await startDeskProvider()
  const service: RunningService = { current: await startService(setup) }
  t.after(async () => {
    await service.current.kill()
    await provider.close()
    await setup.remove()
  })
  const definitionId = await defineDesk(service.current, provider)
  const body = {
    ...createDeskCredentials(definitionId, provider, 'desk_live_1'),
    integrationAccountName: `${MARK} name`,
    accountIdentifier: MARK,
  }
  const fill = async () => {
    const { body: account } = await service.current.call('POST', '/v1/integration_account', body)
    await fillCustomer(setup, account.integrationAccountId, count)
  }
  await fill()
  const { body: workspaces } = await service.current.call('GET', '/v1/workspace')
  const workspaceId = workspaces[0].workspaceId
  return {
    service,
    fill,
    erase: () => service.current.call('POST', '/v1/erasure', { accountIdentifier: MARK }),
    remove: () => service.current.call('DELETE', `/v1/workspace/${workspaceId}`),
  }
}

/** Sends the request until the erasure has finished, and returns the receipt. */
export async function waitForReceipt(erase: ErasingService['erase']) {
  for (;;) {
    const { status, body } = await erase()
    assert.equal(status, 200)
    if (body.status === 'finished') return body
    await sleep(100)
  }
}

/** The content of SQLite's files. */
export function readFiles({ dataDir }: ServiceSetup): Buffer {
  const file = join(dataDir, 'linchpin.db')
  const files = [file, `${file}-wal`].filter((path) => existsSync(path))
  return Buffer.concat(files.map((path) => readFileSync(path)))
}
