import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { defineDesk, deskCredentials, startDesk } from './desk.ts'
import { newPlace, type ServiceProcess, startService } from './service-process.ts'

const DISK_BYTES = 8 * 1024 * 1024

describe('a full disk', () => {
  it('answers writes with 503 storage_full, reads go on, and space heals it without a restart', async (t) => {
    const dataDir = await smallDisk(t)
    if (dataDir === undefined) return
    const { service, account, accountBody } = await startWithAccount(t, dataDir)
    const promised = [await fillByWriting(service)].flat()
    fillUp(join(dataDir, 'ballast'))

    const refused = await untilRefused(service, promised)
    assert.equal(refused.status, 503)
    assert.equal(refused.body.error, 'storage_full')
    assert.equal(refused.headers.get('retry-after'), '1')
    for (let tries = 0; tries < 20; tries += 1) await assertReadsGoOn(service, account)
    const create = await service.call('POST', '/v1/integration_account', accountBody)
    assert.deepEqual([create.status, create.body.error], [503, 'storage_full'])

    rmSync(join(dataDir, 'ballast'))
    const after = await service.call('POST', '/v1/link', { linkName: 'after' })
    assert.equal(after.status, 201, 'space is back, and writes are not')
    promised.push(after.body.linkId)
    const listed = await service.call('GET', '/v1/link')
    const there = new Set(listed.body.map((link: { linkId: string }) => link.linkId))
    assert.deepEqual(
      promised.filter((id) => !there.has(id)),
      [],
      'promised links are lost',
    )
    assert.equal(there.size, promised.length, 'refused links are there')
    assert.equal(await service.stop(), 0)
  })
})

/** A disk of 8 MB at a folder of its own; undefined, and said so, where mounting is not allowed. */
async function smallDisk(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'linchpin-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder])
  if (mounted.status !== 0) {
    t.diagnostic('Mounting is not allowed here: the full disk is left out')
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
  const provider = await startDesk()
  t.after(() => provider.close())
  const service = await startService(await newPlace({ dataDir }))
  t.after(() => service.kill())
  const definitionId = await defineDesk(service, provider)
  const accountBody = {
    ...deskCredentials(definitionId, provider, 'desk_live_1'),
    integrationAccountName: 'Support desk',
  }
  const account = await service.call('POST', '/v1/integration_account', accountBody)
  assert.equal(account.status, 201)
  return { service, account: account.body, accountBody }
}

async function fillByWriting(service: ServiceProcess): Promise<string[]> {
  const made = await Promise.all(
    Array.from({ length: 50 }, (_, n) => service.call('POST', '/v1/link', { linkName: `l${n}` })),
  )
  return made.map(({ status, body }) => {
    assert.equal(status, 201)
    return body.linkId
  })
}

/** Writes until the disk takes no more byte. */
function fillUp(file: string): void {
  const handle = openSync(file, 'w')
  try {
    for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 2))
      writeWhileThereIsRoom(handle, size)
  } finally {
    closeSync(handle)
  }
}

function writeWhileThereIsRoom(handle: number, size: number): void {
  const block = Buffer.alloc(size)
  try {
    for (;;) writeSync(handle, block)
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  }
}

/** Links still fit into the part of the log that is there already: writes until one is refused. */
async function untilRefused(service: ServiceProcess, promised: string[]) {
  for (let tries = 0; tries < 5_000; tries += 1) {
    const answer = await service.call('POST', '/v1/link', { linkName: `full ${tries}` })
    if (answer.status !== 201) return answer
    promised.push(answer.body.linkId)
  }
  return assert.fail('the full disk took 5,000 links')
}

async function assertReadsGoOn(
  service: ServiceProcess,
  account: { integrationAccountId: string },
): Promise<void> {
  const path = `/v1/integration_account/${account.integrationAccountId}`
  const read = await service.call('GET', path)
  assert.equal(read.status, 200)
  assert.deepEqual(read.body, account)
  assert.equal((await service.call('GET', '/v1/integration_account')).body.length, 1)
  const live = await fetch(`${service.url}/health/live`)
  assert.equal(live.status, 200)
  await live.text()
}
