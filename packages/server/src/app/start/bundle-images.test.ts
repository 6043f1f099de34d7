import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Provider } from '../../../../../examples/provider/provider.ts'
import {
  createDeskCredentials,
  defineDesk,
  startDeskProvider,
} from '../../../test/reliability/desk-provider.ts'
import {
  createServiceSetup,
  type ServiceProcess,
  type ServiceSetup,
  startService,
} from '../../../test/reliability/service-process.ts'

describe('images of bundles in the data folder', () => {
  let setup: ServiceSetup
  let provider: Provider
  let definitionId: string | undefined
  let folder: string
  before(async () => {
    provider = await startDeskProvider()
    setup = await createServiceSetup()
    folder = path.join(setup.dataDir, 'bundle-images')
  })
  after(async () => {
    await setup.remove()
    await provider.close()
  })

  /** Starts the service and runs a check, which stores an image of its bundle if there is none. */
  async function runCheck(during: () => Promise<void>): Promise<void> {
    const service = await startService(setup)
    try {
      definitionId ??= await defineDesk(service, provider)
      await assertCheck(service, definitionId)
      await during()
    } finally {
      await service.stop()
    }
  }

  async function assertCheck(service: ServiceProcess, id: string): Promise<void> {
    const credentials = createDeskCredentials(id, provider, 'desk_live_1')
    const response = await service.call('POST', '/v1/integration_account/check', credentials)
    assert.equal(response.body.status, true, JSON.stringify(response.body))
  }

  it('are stored after the first use, and used after a restart; a damaged one is replaced', async () => {
    await runCheck(() => waitUntil(() => listImages().length === 1))
    const [image = ''] = listImages()
    assert.equal(statSync(image).mode & 0o777, 0o600)
    assert.ok(!readFileSync(image).includes('desk_live_1'))
    const { ino, mtimeMs } = statSync(image)
    await runCheck(() => waitUntil(() => statSync(image).mtimeMs > mtimeMs))
    assert.equal(statSync(image).ino, ino, 'it was read, not written again')
    const damaged = readFileSync(image)
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1
    writeFileSync(image, damaged)
    await runCheck(() => waitUntil(() => existsSync(image) && !readFileSync(image).equals(damaged)))
  })

  const listImages = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => !name.endsWith('.tmp'))
          .map((name) => path.join(folder, name))
      : []
})

async function waitUntil(isTrue: () => boolean): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; await sleep(50)) if (isTrue()) return
  assert.fail('it did not become true')
}
