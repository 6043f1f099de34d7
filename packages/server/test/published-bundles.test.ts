import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rollup } from 'rollup'
import { createRollupPlugins } from '../../../examples/rollup-plugins.ts'
import { runInNode } from '../../../examples/run-in-node.ts'
import {
  type RefreshTestContext,
  startRefreshTestContext,
} from '../src/accounts/accounts/token-refresh/test/refresh-test-context.ts'
import { expectCreated, expectOk } from './test-context.ts'

/** How an integration of the older kit refreshes its tokens. */
interface Variant {
  readonly refreshes: readonly ('CHECK' | 'HEADERS')[]
  readonly sends: 'kit' | 'form' | 'JSON' | 'query' | 'client by Basic' | 'token by Basic'
  /** Whether HEADERS returns the new refresh token. */
  readonly returns?: boolean
  readonly times?: number
  readonly field?: string
}

const SENDS = ['kit', 'form', 'JSON', 'query', 'client by Basic', 'token by Basic'] as const
const VARIANTS: readonly Variant[] = [
  ...SENDS.map((sends): Variant => ({ refreshes: ['CHECK', 'HEADERS'], sends })),
  { refreshes: ['CHECK', 'HEADERS'], sends: 'kit', returns: true },
  { refreshes: ['CHECK'], sends: 'form' },
  { refreshes: ['HEADERS'], sends: 'JSON' },
  { refreshes: ['HEADERS'], sends: 'kit', returns: true },
  { refreshes: ['CHECK', 'HEADERS'], sends: 'form', times: 2 },
  { refreshes: ['CHECK', 'HEADERS'], sends: 'JSON', times: 3, field: 'refreshToken' },
  { refreshes: ['CHECK', 'HEADERS'], sends: 'form', field: 'offline_grant' },
  { refreshes: [], sends: 'form' },
]

const SOURCE = `
import { BaseIntegration } from '@poozle/engine-idk'
import axios from 'axios'

class Published extends BaseIntegration {
  async spec() { return SPEC }

  async tokens(config) {
    const refresh_token = config[VARIANT.field ?? 'refresh_token']
    const url = SPEC.auth_specification.OAuth2.token_url
    const client = { client_id: config.client_id, client_secret: config.client_secret }
    const asked = { grant_type: 'refresh_token', refresh_token }
    const form = (values) => new URLSearchParams(values).toString()
    const ways = {
      kit: () => axios.post(url, form({ ...config, ...asked })),
      form: () => axios.post(url, form({ ...asked, ...client })),
      JSON: () => axios.post(url, { ...asked, ...client }),
      query: () => axios.post(url, undefined, { params: { ...asked, ...client } }),
      'client by Basic': () => axios.post(url, form(asked), { auth: { username: client.client_id, password: client.client_secret } }),
      'token by Basic': () => axios.post(url, form({ grant_type: 'refresh_token' }), { auth: { username: client.client_id, password: refresh_token } }),
    }
    let response
    for (let time = 0; time < (VARIANT.times ?? 1); time++) response = await ways[VARIANT.sends]()
    return response.data
  }

  async check(config) {
    const tokens = VARIANT.refreshes.includes('CHECK') ? await this.tokens(config) : config
    if (!tokens.access_token) return { status: true, error: '' }
    const url = SPEC.auth_specification.OAuth2.token_url.replace('/token', '/me')
    await axios.get(url, { headers: { Authorization: 'Bearer ' + tokens.access_token } })
    return { status: true, error: '' }
  }

  async authHeaders(config) {
    if (VARIANT.returns) return super.authHeaders(config)
    const { access_token } = VARIANT.refreshes.includes('HEADERS') ? await this.tokens(config) : config
    return { Authorization: 'Bearer ' + access_token }
  }
}

export default async function main(command, params) {
  return new Published().runCommand(command, params)
}
`

describe('Bundles of the older kit that refresh their own tokens at a provider with rotation', () => {
  let context: RefreshTestContext
  let folder: string
  let bundleCode: string
  let count = 0
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'linchpin-published-'))
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }\n')
    const started = await Promise.all([startRefreshTestContext(), compile()])
    context = started[0]
    bundleCode = started[1]
  })
  after(() => Promise.all([context.close(), rm(folder, { recursive: true })]))

  for (const variant of VARIANTS) {
    const { refreshes, sends, returns = false, times = 1, field = 'refresh_token' } = variant
    const refreshCommands = refreshes.join(' and ') || 'nowhere'
    it(`send the same requests as in Node and preserve the grant: ${refreshCommands}, ${sends}, ${times}x, ${field}, returned: ${returns}`, async () => {
      const { provider, t } = context
      const url = `${provider.url}/token`
      const spec = { auth_specification: { OAuth2: { token_url: url, authorization_url: url } } }
      const code = `const SPEC = ${JSON.stringify(spec)}, VARIANT = ${JSON.stringify(variant)};\n${bundleCode}`
      const file = join(folder, `${++count}.js`)
      await writeFile(file, code)
      const { integrationDefinitionId } = await t.createDefinition({ code })
      const config = () => {
        const { refreshToken, accessToken } = provider.newFamily()
        const extraConfig = refreshes.length === 0 ? { access_token: accessToken } : {}
        return {
          client_id: 'the-client',
          client_secret: 'the-secret',
          [field]: refreshToken,
          ...extraConfig,
        }
      }
      const takeRequests = () => provider.requests.splice(0).map(normalizeRequest)
      const countTokenRequests = (serviceRequests: ReturnType<typeof takeRequests>) =>
        serviceRequests.filter(({ url }) => url.startsWith('/token')).length

      takeRequests()
      const nodeConfig = config()
      await runInNode(file, 'CHECK', { config: { ...nodeConfig, authType: 'OAuth2' } }).catch(
        () => {},
      )
      const nodeRequests = takeRequests()
      const before = provider.reuseCount()
      const body = { integrationDefinitionId, authType: 'OAuth2', config: config() }
      const call = async (path: string, more = {}) =>
        t.call('POST', path, { body: { ...body, ...more } })

      assert.deepEqual(expectOk(await call('/v1/integration_account/check')), {
        status: true,
        error: '',
      })
      const serviceRequests = takeRequests()
      const uniqueRequests =
        times === 1 ? nodeRequests : [...new Set(nodeRequests.map((each) => JSON.stringify(each)))]
      if (times === 1) assert.deepEqual(serviceRequests, uniqueRequests)
      else assert.deepEqual(serviceRequests[0], JSON.parse(String(uniqueRequests[0])))
      assert.equal(countTokenRequests(serviceRequests), refreshes.includes('CHECK') ? 1 : 0)

      const createdAccount = expectCreated(
        await call('/v1/integration_account', { integrationAccountName: 'A' }),
      )
      assert.equal(countTokenRequests(takeRequests()), refreshes.includes('CHECK') ? 1 : 0)
      const path = `/v1/integration_account/${createdAccount.integrationAccountId}/credentials`
      for (let use = 0; use < 2; use++) {
        const { headers } = expectOk(await t.call('GET', path))
        assert.ok(countTokenRequests(takeRequests()) <= 1)
        const { status } = await fetch(`${provider.url}/me`, {
          headers: headers as Record<string, string>,
        })
        assert.equal(status, 200)
      }
      assert.equal(provider.reuseCount(), before, 'the grant lives')
    })
  }
})

/** Without headers of the connection, token numbers of the provider, and Brotli, which the sandbox does not support. */
function normalizeRequest({
  method,
  url,
  headers,
  text,
}: RefreshTestContext['provider']['requests'][number]) {
  const { connection: _, host: __, 'accept-encoding': encoding, ...others } = headers
  const maskTokens = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replaceAll(/(refresh|access)-\d+-/g, '$1-n-'))
  const basic = others.authorization?.startsWith('Basic')
    ? { authorization: Buffer.from(others.authorization.slice(6), 'base64').toString() }
    : {}
  const length = { 'content-length': undefined }
  return maskTokens({
    method,
    url,
    text,
    headers: { ...others, ...basic, ...length },
    encoding: encoding?.replace(', br', ''),
  })
}

async function compile(): Promise<string> {
  const input = fileURLToPath(new URL('./published-bundle.js', import.meta.url))
  const bundle = await rollup({
    input,
    external: ['SPEC', 'VARIANT'],
    plugins: [
      {
        name: 'source',
        resolveId: (id) => (id === input ? id : null),
        load: (id) => (id === input ? SOURCE : null),
      },
      ...createRollupPlugins(),
    ],
    onwarn: () => {},
  })
  const { output } = await bundle.generate({ format: 'cjs', exports: 'named' })
  await bundle.close()
  return output[0].code
}
