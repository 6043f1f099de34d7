import { setTimeout as sleep } from 'node:timers/promises'
import { createMiniBundle } from '../../mini-bundle.ts'
import { type StubServer, startStubServer } from '../../stub-server.ts'
import type { ServiceProcess } from '../service-process.ts'
import { repeat } from './watched-service.ts'

type Cleanup = { after(fn: () => unknown): void }

/** Starts a provider whose checks take that long, and which serves its bundle. */
export async function startProvider(t: Cleanup, checkMs: number): Promise<StubServer> {
  const provider = await startStubServer()
  t.after(() => provider.close())
  provider.serve('/check', async (_request, response) => {
    await sleep(checkMs)
    response.end('{}')
  })
  return provider
}

/**
 * Creates what a tenant checks at the provider. Returns a function that starts clients, each of which sends one check after the
 * other, whatever the response.
 */
export async function prepareChecks(
  t: Cleanup,
  service: ServiceProcess,
  provider: StubServer,
  token?: string,
): Promise<(clients: number) => void> {
  const source = { sourceUrl: provider.bundle(createMiniBundle()), integrationType: 'TICKETING' }
  const { body: definition } = await service.call(
    'POST',
    '/v1/integration_definition',
    { name: 'Mini', ...source },
    token,
  )
  const { integrationDefinitionId } = definition
  const config = { api_key: 'key', base_url: provider.url }
  const body = { integrationDefinitionId, authType: 'Api Key', config }
  const check = () => service.send('POST', '/v1/integration_account/check', body, token)
  return (clients) => {
    for (let count = 0; count < clients; count += 1) {
      const running = repeat(check, PAUSE_MS)
      t.after(() => running.stop())
    }
  }
}

const PAUSE_MS = 500
