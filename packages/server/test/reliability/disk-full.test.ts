import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

const DISK_BYTES = 16 * 1024 * 1024

describe('A full disk', () => {
  it('503 storage_full for writes, reads still work, and the service recovers without a restart', async (t) => {
    const dataDir = await mountSmallDisk(t)
    if (dataDir === undefined) return
    const { service, account, accountBody } = await startWithAccount(t, dataDir)
    const acknowledged = [await fillByWriting(service)].flat()
    fillDisk(join(dataDir, 'ballast'))

    const rejected = await writeUntilRejected(service, acknowledged)
    assert.equal(rejected.status, 503)
    assert.equal(rejected.body.error, 'storage_full')
    assert.equal(rejected.headers.get('retry-after'), '1')
    for (let attempt = 0; attempt < 20; attempt += 1) await assertReadsWork(service, account)
    assert.equal(await rejectAccount(service, accountBody, acknowledged), 'storage_full')

    assert.deepEqual(await readReadiness(service), [503, { status: 'storage full' }])
    rmSync(join(dataDir, 'ballast'))
    assert.deepEqual(await readReadiness(service), [200, { status: 'ok' }])
    const after = await service.call('POST', '/v1/link', { linkName: 'after' })
    assert.equal(after.status, 201, 'writes still fail although there is space again')
    acknowledged.push(after.body.linkId)
    const listed = await service.call('GET', '/v1/link')
    const storedIds = new Set(listed.body.map((link: { linkId: string }) => link.linkId))
    assert.deepEqual(
      acknowledged.filter((id) => !storedIds.has(id)),
      [],
      'acknowledged links are lost',
    )
    assert.equal(storedIds.size, acknowledged.length, 'rejected links are stored')
    assert.equal(await service.stop(), 0)
  })
})

/** A 16 MB disk mounted at a new folder; undefined, with a diagnostic, if mounting is not allowed. */
async function mountSmallDisk(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder])
  if (mounted.status !== 0) {
    t.diagnostic('Mounting is not allowed here: skipping the full disk')
    assert.notEqual(process.env.CI, 'true', 'mounting failed, and CI=true requires it')
    await rm(folder, { recursive: true })
    return undefined
  }
  t.after(async () => {
    spawnSync('umount', ['-l', folder])
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

async function startWithAccount(t: TestContext, dataDir: string) {
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const service = await startService(await createServiceSetup({ dataDir }))
  t.after(() => service.kill())
  const definitionId = await defineDesk(service, provider)
  const accountBody = {
    ...createDeskCredentials(definitionId, provider, 'desk_live_1'),
    integrationAccountName: 'Support desk',
  }
  const account = await service.call('POST', '/v1/integration_account', accountBody)
  assert.equal(account.status, 201)
  return { service, account: account.body, accountBody }
}

async function fillByWriting(service: ServiceProcess): Promise<string[]> {
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => service.call('POST', '/v1/link', { linkName: `l${n}` })),
  )
  return responses.map(({ status, body }) => {
    assert.equal(status, 201)
    return body.linkId
  })
}

/** Writes until the disk is full. */
function fillDisk(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2)) writeUntilFull(handle, size)
  } finally {
    closeSync(handle)
  }
}

function writeUntilFull(handle: number, size: number): void {
  const block = Buffer.alloc(size)
  try {
    for (;;) writeSync(handle, block)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  }
}

/** Links still fit into the allocated part of the log: writes until one is rejected. */
async function writeUntilRejected(service: ServiceProcess, acknowledged: string[]) {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    const response = await service.call('POST', '/v1/link', { linkName: `full ${attempt}` })
    if (response.status !== 201) return response
    acknowledged.push(response.body.linkId)
  }
  return assert.fail('5,000 links fit on the full disk')
}

/** Creates accounts until one is rejected, since SQLite may have freed a part of its log meanwhile. Returns the error. */
async function rejectAccount(service: ServiceProcess, body: object, acknowledged: string[]) {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const create = await service.call('POST', '/v1/integration_account', body)
    if (create.status !== 201) return create.body.error
    await writeUntilRejected(service, acknowledged)
  }
  return assert.fail('20 accounts fit on the full disk')
}

async function readReadiness({ url }: ServiceProcess): Promise<[number, unknown]> {
  const response = await fetch(`${url}/health/ready`)
  return [response.status, await response.json()]
}

async function assertReadsWork(
  service: ServiceProcess,
  account: { integrationAccountId: string },
): Promise<void> {
  const path = `/v1/integration_account/${account.integrationAccountId}`
  const read = await service.call('GET', path)
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, account)
  assert.equal((await service.call('GET', '/v1/integration_account')).body.length, 1)
  const liveness = await fetch(`${service.url}/health/live`)
  assert.equal(liveness.status, 200)
  await liveness.text()
}
