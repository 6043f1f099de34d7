import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type ExampleBundle, exampleBundles } from '../../../examples/build.ts'
import { bundleRoutes } from '../../../examples/bundle-routes.ts'
import { BOOKS_CLIENT } from '../../../examples/provider/books.ts'
import { createProvider, type RecordedRequest } from '../../../examples/provider/provider.ts'
import { runInNode } from '../../../examples/run-in-node.ts'
import { created, fine, refused } from './fixtures.ts'
import { type TestApp, testApp } from './test-app.ts'

const bundles = await exampleBundles()
const provider = createProvider({ routes: bundleRoutes(bundles) })
let t: TestApp
before(async () => {
  await provider.listen()
  t = await testApp()
})
after(() => Promise.all([t.close(), provider.close()]))
beforeEach(() => {
  provider.requests.length = 0
})

const desk = (api_key: string) => ({ api_key, base_url: provider.url })
const site = () => ({ base_url: provider.url, subdomain: 'north', region: 'eu' })
const books = (api_key: string) => ({ ...site(), api_key })
const login = (refresh_token: string) => ({ ...site(), ...BOOKS_CLIENT, refresh_token })

interface Case {
  readonly authType: string
  readonly config: () => Record<string, unknown>
  readonly is: 'good' | 'bad' | 'unreachable'
}

const CASES: Readonly<Record<'acme-desk' | 'acme-books', readonly Case[]>> = {
  'acme-desk': [
    { authType: 'Api Key', config: () => desk('desk_live_1'), is: 'good' },
    { authType: 'Api Key', config: () => desk('desk_revoked_1'), is: 'bad' },
    { authType: 'Api Key', config: () => desk('who-knows'), is: 'bad' },
    { authType: 'Api Key', config: () => desk('desk_busy_1'), is: 'unreachable' },
    { authType: 'Api Key', config: () => desk('desk_down_1'), is: 'unreachable' },
  ],
  'acme-books': [
    { authType: 'Api Key', config: () => books('books_live_1'), is: 'good' },
    { authType: 'Api Key', config: () => books('books_dead_1'), is: 'bad' },
    { authType: 'OAuth2', config: () => login('refresh_live_a'), is: 'good' },
    { authType: 'OAuth2', config: () => login('stolen-token'), is: 'bad' },
  ],
}

describe('the example bundles, through the service and in plain Node', () => {
  for (const [name, bundle] of [
    ['acme-desk', bundles.desk],
    ['acme-books', bundles.books],
  ] as const)
    describe(name, () => {
      let id: string
      before(async () => {
        const sourceUrl = `${provider.url}/bundles/${name}/index.js`
        const body = { name, sourceUrl, integrationType: 'TICKETING' }
        const definition = created(await t.call('POST', '/v1/integration_definition', { body }))
        id = definition.integrationDefinitionId
        assert.equal(definition.version, name === 'acme-books' ? '1.2.0' : '0.0.1')
      })

      it('answer the same SPEC, text for text', async () => {
        const { text } = await t.call('GET', `/v1/integration_definition/${id}/spec`)
        assert.equal(text, JSON.stringify(await runInNode(bundle.path, 'SPEC')))
      })

      for (const { authType, config, is } of CASES[name]) {
        it(`give the same verdict and send the same requests: ${authType}, ${is}`, async () => {
          await sameCheck(bundle, id, authType, config(), is)
        })

        it(`make an account of it, or do not: ${authType}, ${is}`, async () => {
          const body = {
            integrationDefinitionId: id,
            integrationAccountName: 'a',
            authType,
            config: config(),
          }
          const answer = await t.call('POST', '/v1/integration_account', { body })
          if (is === 'bad') refused(answer, 'credentials_rejected')
          else if (is === 'unreachable') refused(answer, 'provider_error')
          else {
            const { integrationConfiguration } = created(answer)
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

async function sameCheck(
  bundle: ExampleBundle,
  integrationDefinitionId: string,
  authType: string,
  config: Record<string, unknown>,
  is: Case['is'],
): Promise<void> {
  const params = { config: { ...config, authType } }
  const inNode = (await runInNode(bundle.path, 'CHECK', params)) as {
    status: boolean
    error: string
  }
  const sentByCheck = provider.requests.splice(0).map(comparable)
  assert.ok(sentByCheck.length > 0)
  const body = { integrationDefinitionId, authType, config }
  const ours = fine(await t.call('POST', '/v1/integration_account/check', { body }))
  const sentByUs = provider.requests.splice(0).map(comparable)
  assert.deepEqual(sentByUs, sentByCheck)
  assert.equal(ours.status, inNode.status)
  assert.equal(ours.status, is === 'good')
  const more = is === 'unreachable' ? { code: 'provider_unreachable', retryable: true } : {}
  assert.deepEqual(ours, { ...inNode, ...more })
}

/**
 * A request without what the connection, not the bundle, decides; the provider numbers its tokens. The jail has no
 * Brotli, so axios does not offer it there.
 */
function comparable({ method, url, headers, body }: RecordedRequest) {
  const { connection: _, host: __, ...set } = headers
  const authorization = set.authorization?.replace(/access_\d+/, 'access_n')
  const encoding = set['accept-encoding']?.replace(', br', '')
  const more = { 'accept-encoding': encoding, ...(authorization ? { authorization } : {}) }
  return { method, url, body, headers: { ...set, ...more } }
}
