import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { sharedRunner } from '../../../../test/shared-runner.ts'
import { testContext } from '../../../../test/test-context.ts'
import { createLog } from '../../../platform/http/log.ts'
import { createBundleStore } from '../../definitions/bundle-store.ts'
import { createCatalogueStore } from '../catalogue-store.ts'
import { EMPTY_CATALOGUE } from '../offered-integration.ts'
import { startRegistryRounds } from './fetch-registry.ts'

it('startRegistryRounds: stop() resolves immediately while the registry does not respond', async () => {
  const t = await testContext()
  const server = createServer((_request, response) => response.writeHead(200).write('{')).listen(0)
  await once(server, 'listening')
  const requested = once(server, 'request')
  const fetches = { ok: 0, unchanged: 0, failed: 0, refused: 0 }
  const loop = startRegistryRounds(
    {
      database: t.database,
      bundles: createBundleStore(t.database),
      catalogue: createCatalogueStore(t.database),
      bundledCatalogue: EMPTY_CATALOGUE,
      log: createLog('silent'),
      now: Date.now,
      ...sharedRunner(),
      registryUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`,
      registryKeys: [],
      afterSync: async () => {},
    },
    fetches,
  )
  await requested
  const startedAt = performance.now()
  await loop.stop()
  assert.ok(performance.now() - startedAt < 5_000)
  assert.deepEqual(fetches, { ok: 0, unchanged: 0, failed: 1, refused: 0 })
  server.closeAllConnections()
  server.close()
  await t.close()
})
