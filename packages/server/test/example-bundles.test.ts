import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { buildExampleBundles, type ExampleBundle } from '../../../examples/build.ts'
import { createBundleRoutes } from '../../../examples/bundle-routes.ts'
import { BOOKS_CLIENT } from '../../../examples/provider/books.ts'
import { createProvider, type RecordedRequest } from '../../../examples/provider/provider.ts'
import { runInNode } from '../../../examples/run-in-node.ts'
import { type TestApp, testApp } from './test-app.ts'
import { expectCreated, expectError, expectOk } from './test-context.ts'

const bundles = await buildExampleBundles()
const provider = createProvider({ routes: createBundleRoutes(bundles) })
let t: TestApp

const createDeskConfig = (api_key: string) => ({ api_key, base_url: provider.url })
const createSiteConfig = () => ({ base_url: provider.url, subdomain: 'north', region: 'eu' })
const createBooksConfig = (api_key: string) => ({ ...createSiteConfig(), api_key })
const createOAuthConfig = (refresh_token: string) => ({
  ...createSiteConfig(),
  ...BOOKS_CLIENT,
  refresh_token,
})

interface Case {
  readonly authType: string
  readonly config: () => Record<string, unknown>
  readonly outcome: 'good' | 'bad' | 'unreachable'
}

const CASES: Readonly<Record<'acme-desk' | 'acme-books', readonly Case[]>> = {
  'acme-desk': [
    { authType: 'Api Key', config: () => createDeskConfig('desk_live_1'), outcome: 'good' },
    { authType: 'Api Key', config: () => createDeskConfig('desk_revoked_1'), outcome: 'bad' },
    { authType: 'Api Key', config: () => createDeskConfig('who-knows'), outcome: 'bad' },
    { authType: 'Api Key', config: () => createDeskConfig('desk_busy_1'), outcome: 'unreachable' },
    { authType: 'Api Key', config: () => createDeskConfig('desk_down_1'), outcome: 'unreachable' },
  ],
  'acme-books': [
    { authType: 'Api Key', config: () => createBooksConfig('books_live_1'), outcome: 'good' },
    { authType: 'Api Key', config: () => createBooksConfig('books_dead_1'), outcome: 'bad' },
    { authType: 'OAuth2', config: () => createOAuthConfig('refresh_live_a'), outcome: 'good' },
    { authType: 'OAuth2', config: () => createOAuthConfig('stolen-token'), outcome: 'bad' },
  ],
}

describe('The example bundles in the service and in plain Node', () => {
  before(async () => {
    await provider.listen()
    t = await testApp()
  })
  after(() => Promise.all([t.close(), provider.close()]))
  beforeEach(() => {
    provider.requests.length = 0
  })

  for (const [name, bundle] of [
    ['acme-desk', bundles.desk],
    ['acme-books', bundles.books],
  ] as const)
    describe(name, () => {
      let id: string
      before(async () => {
        const sourceUrl = `${provider.url}/bundles/${name}/index.js`
        const body = { name, sourceUrl, integrationType: 'TICKETING' }
        const definition = expectCreated(
          await t.call('POST', '/v1/integration_definition', { body }),
        )
        id = definition.integrationDefinitionId
        assert.equal(definition.version, name === 'acme-books' ? '1.2.0' : '0.0.1')
      })

      it('return identical SPECs', async () => {
        const { text } = await t.call('GET', `/v1/integration_definition/${id}/spec`)
        assert.equal(text, JSON.stringify(await runInNode(bundle.path, 'SPEC')))
      })

      for (const { authType, config, outcome } of CASES[name]) {
        it(`return the same CHECK result and send the same requests: ${authType}, ${outcome}`, async () => {
          await assertSameCheck(bundle, id, authType, config(), outcome)
        })

        it(`create an account exactly when CHECK succeeds: ${authType}, ${outcome}`, async () => {
          const body = {
            integrationDefinitionId: id,
            integrationAccountName: 'a',
            authType,
            config: config(),
          }
          const response = await t.call('POST', '/v1/integration_account', { body })
          if (outcome === 'bad') expectError(response, 'credentials_rejected')
          else if (outcome === 'unreachable') expectError(response, 'provider_error')
          else {
            const { integrationConfiguration } = expectCreated(response)
            const { base_url, subdomain, region } = body.config
            assert.deepEqual(
              integrationConfiguration,
              JSON.parse(JSON.stringify({ base_url, subdomain, region })),
            )
          }
        })
      }
    })
})

async function assertSameCheck(
  bundle: ExampleBundle,
  integrationDefinitionId: string,
  authType: string,
  config: Record<string, unknown>,
  outcome: Case['outcome'],
): Promise<void> {
  const params = { config: { ...config, authType } }
  const nodeResult = (await runInNode(bundle.path, 'CHECK', params)) as {
    status: boolean
    error: string
  }
  const sentByNode = provider.requests.splice(0).map(normalizeRequest)
  assert.ok(sentByNode.length > 0)
  const body = { integrationDefinitionId, authType, config }
  const serviceResult = expectOk(await t.call('POST', '/v1/integration_account/check', { body }))
  const sentByService = provider.requests.splice(0).map(normalizeRequest)
  assert.deepEqual(sentByService, sentByNode)
  assert.equal(serviceResult.status, nodeResult.status)
  assert.equal(serviceResult.status, outcome === 'good')
  const details = outcome === 'unreachable' ? { code: 'provider_unreachable', retryable: true } : {}
  assert.deepEqual(serviceResult, { ...nodeResult, ...details })
}

/** A request without headers of the connection and token numbers of the provider. */
function normalizeRequest({ method, url, headers, body }: RecordedRequest) {
  const { connection: _, host: __, ...remainingHeaders } = headers
  const authorization = remainingHeaders.authorization?.replace(/access_\d+/, 'access_n')
  const details = authorization ? { authorization } : {}
  return { method, url, body, headers: { ...remainingHeaders, ...details } }
}
