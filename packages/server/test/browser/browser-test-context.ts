import { DESK_SPEC } from '../../src/connect/connect-page/test/desk.ts'
import type { DefinitionId } from '../../src/integrations/definitions/definition.ts'
import { findFreePort } from '../free-port.ts'
import { createMiniBundle } from '../mini-bundle.ts'
import { registerOAuthApp } from '../register-oauth-app.ts'
import type { TestAppOptions } from '../test-app.ts'
import { expectCreated, expectOk, type TestContext, testContext } from '../test-context.ts'
import { type HostSite, startHostSite } from './host-site.ts'
import { type SignInProvider, startSignInProvider } from './sign-in-provider.ts'

/** A service at `http://localhost:port`, an OAuth provider and an embedding host. */
export interface BrowserTestContext extends TestContext {
  /** `http://localhost:port`. */
  readonly url: string
  readonly host: HostSite
  readonly provider: SignInProvider
  readonly desk: { readonly id: DefinitionId; readonly key: string }
  readonly books: { readonly id: DefinitionId; readonly key: string }
  /** Sets the result and the duration of the desk's CHECK. */
  checkStub: { result: unknown; delayMs: number }
  /** Creates a link. Returns its ID. */
  link(body?: Record<string, unknown>): Promise<string>
}

export async function startBrowserTestContext(
  options: Pick<TestAppOptions, 'failedCheckBudgets' | 'catalogue' | 'requestLog'> & {
    /** A URL that leads to the service at this port of localhost, such as that of a reverse proxy. */
    readonly createUrl?: (port: number) => Promise<string>
  } = {},
): Promise<BrowserTestContext> {
  // The service must know its base URL before it listens.
  const port = await findFreePort()
  const { createUrl, ...appOptions } = options
  const url = (await createUrl?.(port)) ?? `http://localhost:${port}`
  const [host, provider] = await Promise.all([startHostSite(), startSignInProvider(url)])
  const context = await testContext({
    ...appOptions,
    baseUrl: () => url,
    canRegisterClients: true,
  })
  await context.app.listen({ port, host: '127.0.0.1' })
  const checkStub = { result: { status: true } as unknown, delayMs: 0 }
  context.stubServer.serve('/told', (_request, response) => {
    setTimeout(() => response.end(JSON.stringify(checkStub.result)), checkStub.delayMs)
  })
  expectOk(
    await context.call('POST', `/v1/workspace/${context.workspaceId}`, {
      body: {
        name: 'Acme',
        allowedRedirectURLs: [`${host.origin}/back`],
        allowedFrameOrigins: [host.origin],
      },
    }),
  )
  const desk = await context.createDefinition({ name: 'Desk', code: createMiniBundle(DESK_SPEC) })
  const books = await context.createDefinition({ name: 'Books', code: provider.bundle })
  await registerOAuthApp(context, {
    integrationDefinitionId: books.integrationDefinitionId,
    clientId: 'linchpin',
    clientSecret: 'canary-client-secret-0123456789',
  })
  const { close } = context
  return Object.assign(context, {
    url,
    host,
    provider,
    checkStub,
    desk: { id: desk.integrationDefinitionId, key: desk.key },
    books: { id: books.integrationDefinitionId, key: books.key },
    async link(body: Record<string, unknown> = {}) {
      const payload = { linkName: 'For customers', ...body }
      return expectCreated(await context.call('POST', '/v1/link', { body: payload })).linkId
    },
    async close() {
      await close()
      await Promise.all([host.close(), provider.close()])
    },
  })
}
