import type { IntegrationAccount } from '../src/accounts/accounts/account.ts'
import type { IntegrationDefinition } from '../src/integrations/definitions/schemas.ts'
import { expectCreated } from './expect-response.ts'
import { createMiniBundle } from './mini-bundle.ts'
import { type StubServer, startStubServer } from './stub-server.ts'
import { type TestApp, type TestAppOptions, testApp } from './test-app.ts'

/** A service, and a stub server that serves bundles and stands in for the provider. */
export interface TestContext extends TestApp {
  readonly stubServer: StubServer
  /** Creates a definition, by default of the mini bundle with a unique name. */
  createDefinition(options?: DefineOptions): Promise<IntegrationDefinition>
  /** Creates an account of the definition, by default with a valid key. */
  createAccount(
    definitionId: string,
    body?: Record<string, unknown>,
    token?: string,
  ): Promise<IntegrationAccount>
}

export interface DefineOptions {
  readonly code?: string
  readonly token?: string
  readonly [field: string]: unknown
}

/** Starts both. Tests call `testContext()`. */
export async function startBaseContext(options: TestAppOptions = {}): Promise<TestContext> {
  const stubServer = await startStubServer()
  stubServer.serve('/check', (request, response) =>
    response.writeHead(request.headers['x-api-key'] === 'wrong' ? 401 : 200).end('{}'),
  )
  const app = await testApp(options)
  const { close } = app
  let count = 0
  return Object.assign(app, {
    stubServer,
    async createDefinition({
      code = createMiniBundle(),
      token = app.token,
      ...body
    }: DefineOptions = {}) {
      const sourceUrl = body.sourceUrl ?? stubServer.bundle(code)
      const payload = { name: `Mini ${++count}`, integrationType: 'TICKETING', ...body, sourceUrl }
      return expectCreated(
        await app.call('POST', '/v1/integration_definition', { body: payload, token }),
      )
    },
    async createAccount(
      definitionId: string,
      body: Record<string, unknown> = {},
      token = app.token,
    ) {
      const payload = {
        integrationDefinitionId: definitionId,
        integrationAccountName: 'An account',
        authType: 'Api Key',
        config: { api_key: 'key_that_works' },
        ...body,
      }
      return expectCreated(
        await app.call('POST', '/v1/integration_account', { body: payload, token }),
      )
    },
    async close() {
      await close()
      await stubServer.close()
    },
  })
}
