import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DESK_SPEC } from '../../src/link-page/test/desk.ts'
import { created, fine, startWorld, type World } from '../fixtures.ts'
import { miniBundle } from '../mini-bundle.ts'
import { registerApp } from '../oauth-app-fixtures.ts'
import type { TestAppOptions } from '../test-app.ts'
import { type HostSite, startHost } from './host.ts'
import { type SignInProvider, startSignInProvider } from './sign-in-provider.ts'

/** A service that listens at `http://localhost:port`, a provider to sign in at, and a host that embeds. */
export interface BrowserWorld extends World {
  /** `http://localhost:port`. */
  readonly url: string
  readonly host: HostSite
  readonly provider: SignInProvider
  readonly desk: { readonly id: string; readonly key: string }
  readonly books: { readonly id: string; readonly key: string }
  /** What CHECK of the desk answers from now on, and how long it takes. */
  told: { verdict: unknown; delayMs: number }
  /** Makes a link; answers its id. */
  link(body?: Record<string, unknown>): Promise<string>
}

export async function startBrowserWorld(
  options: Pick<TestAppOptions, 'failedCheckBudgets'> = {},
): Promise<BrowserWorld> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const [host, provider] = await Promise.all([startHost(), startSignInProvider(url)])
  const world = await startWorld({ ...options, baseUrl: () => url })
  await world.app.listen({ port, host: '127.0.0.1' })
  const told = { verdict: { status: true } as unknown, delayMs: 0 }
  world.origin.serve('/told', (_request, response) => {
    setTimeout(() => response.end(JSON.stringify(told.verdict)), told.delayMs)
  })
  fine(
    await world.call('POST', `/v1/workspace/${world.workspaceId}`, {
      body: {
        name: 'Acme',
        allowedRedirectURLs: [`${host.origin}/back`],
        allowedFrameOrigins: [host.origin],
      },
    }),
  )
  const desk = await world.define({ name: 'Desk', code: miniBundle(DESK_SPEC) })
  const books = await world.define({ name: 'Books', code: provider.bundle })
  await registerApp(world, {
    integrationDefinitionId: String(books.integrationDefinitionId),
    clientId: 'linchpin',
    clientSecret: 'canary-client-secret-0123456789',
  })
  return {
    ...world,
    url,
    host,
    provider,
    told,
    desk: { id: String(desk.integrationDefinitionId), key: String(desk.key) },
    books: { id: String(books.integrationDefinitionId), key: String(books.key) },
    async link(body = {}) {
      const given = { linkName: 'For customers', ...body }
      return created(await world.call('POST', '/v1/link', { body: given })).linkId
    },
    async close() {
      await world.close()
      await Promise.all([host.close(), provider.close()])
    },
  }
}

/** The service must say where it is before it listens there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
