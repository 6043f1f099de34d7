// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../../platform/errors.ts'
import { type ProxyTargetParams, proxyTarget } from './proxy-target.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

const BASE = 'https://api.example.com/v2'

function createParams(overrides: Record<string, unknown> = {}, config = {}): ProxyTargetParams {
  const properties = { shop: { type: 'string', pattern: '^[a-z]+$' }, loose: { type: 'string' } }
  return {
    spec: {
      auth_specification: { 'Api Key': { input_specification: { type: 'object', properties } } },
      'x-hosts': ['uploads.example.com', '*.cdn.example.com'],
      api_base_url: BASE,
      ...overrides,
    } as ProxyTargetParams['spec'],
    authType: 'Api Key',
    config,
  }
}

const expectRejection = (proxySubject: ProxyTargetParams, path: string): ApiError => {
  try {
    assert.fail(`${path} resolves to ${proxyTarget(proxySubject, path).url}`)
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}

describe('proxyTarget', () => {
  for (const [path, url] of [
    ['items', `${BASE}/items`],
    ['items?a=%2F&a=b&&', `${BASE}/items?a=%2F&a=b&&`],
    ['', `${BASE}/`],
    ['?q', `${BASE}/?q`],
    ['a%2Fb/%zz', `${BASE}/a%2Fb/%zz`],
    ['a/../items/./x', `${BASE}/items/x`],
    ['items?next=../../x', `${BASE}/items?next=../../x`],
    ['https://api.example.com/v1/x?y', 'https://api.example.com/v1/x?y'],
    ['https://api.example.com:443/x', 'https://api.example.com/x'],
    ['HTTPS://Uploads.Example.com/x', 'https://uploads.example.com/x'],
    [
      'https://a.b.cdn.example.com/x?u=https://evil.example',
      'https://a.b.cdn.example.com/x?u=https://evil.example',
    ],
  ])
    it(`takes ${path}`, () => assert.equal(proxyTarget(createParams(), String(path)).url, url))

  for (const path of [
    'https://evil.example/',
    'http://evil.example/',
    'https://api.example.com.evil.example/',
    'https://api.example.com@evil.example/',
    'https://user:pass@api.example.com/',
    'https://api.example.com:8443/',
    'http://api.example.com/',
    'https://uploads.example.com:8443/',
    'https://cdn.example.com/',
    'https://evilcdn.example.com/',
    'https://uploads.example.com./..\\evil',
    'https:/api.example.com/',
    'https:api.example.com',
    'https:///api.example.com/',
    'https:\\\\api.example.com',
    'https://api.example.com\\@evil.example/',
    'https://api.example.com#@evil.example/',
    'https://api.example.com%2f@evil.example/',
    'https://evil.example%2f.cdn.example.com/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://localhost/',
    'https://uplo\u00adads.example.com/',
    'https://upl%6fads.example.com/',
    'https://',
    'https://?',
    '../v3/items',
    '..',
    'a/../../x',
    '//../x',
    '../../../../x',
    '%2e%2e/%2E%2e/x',
    '.%2e/x',
    '..%2f..%2fx',
    'a%2f..%2f..%5cx',
    '\\evil.example',
    'x\\..\\y',
    'x#y',
    'x\ty',
    'x y',
  ])
    it(`rejects ${JSON.stringify(path)} and lists the allowed hosts`, () => {
      const { code, message } = expectRejection(createParams(), path)
      assert.equal(code, 'proxy_target_not_allowed')
      assert.match(message, /https:\/\/api\.example\.com, uploads\.example\.com, \*\.cdn/)
      assert.equal(message.includes('evil'), false)
    })

  for (const path of [
    '/evil.example/x',
    '//evil.example/x',
    '@evil.example/x',
    ':8443/x',
    '.evil.example/x',
    '%2f%2fevil.example',
    '%5cevil.example',
    'https%3A%2F%2Fevil.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://evil.example/',
    '[::1]/x',
    '?@evil.example',
  ])
    it(`keeps ${JSON.stringify(path)} on the host of the base`, () => {
      const { url, hosts } = proxyTarget(createParams(), path)
      assert.equal(new URL(url).origin, 'https://api.example.com')
      assert.deepEqual(hosts, ['uploads.example.com', '*.cdn.example.com', 'api.example.com'])
    })

  it('fills the base from the config if the spec constrains the field', () => {
    const shopSpecificConfig = { api_base_url: 'https://${shop}.example.com/api/' }
    const { url, hosts } = proxyTarget(createParams(shopSpecificConfig, { shop: 'acme' }), 'x')
    assert.equal(url, 'https://acme.example.com/api/x')
    assert.ok(hosts.includes('acme.example.com'))
    for (const [api_base_url, config] of [
      ['https://${loose}/x', { loose: 'acme.example.com' }],
      ['https://${shop}.example.com', {}],
      ['https://${shop}.example.com', { shop: 'evil.example/' }],
      ['https://api.example.com?x=1', {}],
      ['not a url', {}],
    ] as const) {
      const error = expectRejection(createParams({ api_base_url }, config), 'x')
      assert.equal(error.code, 'proxy_unavailable')
      assert.equal(error.message.includes('evil'), false)
    }
  })

  it('accepts a base from the token response or the callback if its host is in x-hosts', () => {
    const createParamsAt = (instance_url: unknown, overrides = {}) =>
      createParams({ api_base_url: '${instance_url}/v1', ...overrides }, { instance_url })
    const { url, hosts } = proxyTarget(createParamsAt('https://eu.cdn.example.com/'), 'x?y')
    assert.equal(url, 'https://eu.cdn.example.com/v1/x?y')
    assert.ok(hosts.includes('eu.cdn.example.com'))
    const callback = {
      auth_specification: { 'Api Key': { callback_params: ['instance_url'] } },
    }
    const fromCallback = proxyTarget(createParamsAt('https://eu.cdn.example.com', callback), 'x')
    assert.equal(fromCallback.url, 'https://eu.cdn.example.com/v1/x')
    for (const proxySubject of [
      createParamsAt('https://evil.example', callback),
      createParamsAt('https://eu.cdn.example.com/other', callback),
      createParamsAt('https://evil.example'),
      createParamsAt('https://eu.cdn.example.com.evil.example'),
      createParamsAt('https://eu.cdn.example.com@evil.example'),
      createParamsAt('https://eu.cdn.example.com:8443'),
      createParamsAt('https://eu.cdn.example.com?x=1'),
      createParamsAt('evil.example'),
      createParamsAt(undefined),
      createParamsAt({}),
      createParamsAt('https://eu.cdn.example.com', { 'x-hosts': undefined }),
      createParamsAt('https://eu.cdn.example.com', { 'x-hosts': undefined, ...callback }),
    ]) {
      const { code, message } = expectRejection(proxySubject, 'x')
      assert.equal(code, 'proxy_unavailable')
      assert.equal(message.includes('evil'), false)
    }
    const loose = { api_base_url: '${loose}/v1' }
    const userProvided = createParams(loose, { loose: 'https://eu.cdn.example.com' })
    assert.equal(
      expectRejection(userProvided, 'x').code,
      'proxy_unavailable',
      'user input is not constrained',
    )
  })

  it('prefers the base of the auth type', () => {
    const proxySubject = createParams()
    const auth = { 'Api Key': { api_base_url: 'https://other.example.com' } }
    const spec = { ...proxySubject.spec, auth_specification: auth } as ProxyTargetParams['spec']
    assert.equal(proxyTarget({ ...proxySubject, spec }, 'x').url, 'https://other.example.com/x')
  })

  it('accepts only absolute URLs without a base, and none without x-hosts', () => {
    const noBase = createParams({ api_base_url: undefined })
    assert.equal(expectRejection(noBase, 'x').code, 'proxy_unavailable')
    assert.equal(
      proxyTarget(noBase, 'https://uploads.example.com/x').url,
      'https://uploads.example.com/x',
    )
    const noHosts = createParams({ api_base_url: undefined, 'x-hosts': undefined })
    const { code } = expectRejection(noHosts, 'https://uploads.example.com/x')
    assert.equal(code, 'proxy_target_not_allowed')
  })
})

describe('targets of proxied requests', () => {
  let proxy: ProxyTestContext
  let hits = 0
  const otherServer = createServer((_request, response) => {
    hits += 1
    response.end('elsewhere')
  }).listen(0, '127.0.0.1')
  before(async () => {
    proxy = await startProxyTestContext()
    proxy.setProviderHandler((request, response) => response.end(request.url))
  })
  after(async () => {
    otherServer.close()
    await proxy.close()
  })

  it('reaches only the provider, with any path', async () => {
    const { port } = otherServer.address() as AddressInfo
    const otherHost = `127.0.0.1:${port}`
    for (const [path, status] of [
      [`http://${otherHost}/`, 400],
      [`http:/${otherHost}/`, 400],
      [`//${otherHost}/`, 200],
      [`/${otherHost}/`, 200],
      [`@${otherHost}/`, 200],
      [`\\\\${otherHost}/`, 400],
      [`%5c%5c${otherHost}/`, 200],
      [`..//${otherHost}/`, 400],
      [`../../../../../${otherHost}/`, 400],
      [`%2e%2e/%2e%2e/${otherHost}/`, 400],
      [`http://${new URL(proxy.providerUrl).host}@${otherHost}/`, 400],
      [`http://user@${new URL(proxy.providerUrl).host}/`, 400],
      [`http://[::ffff:127.0.0.1]:${port}/`, 400],
      [`http://localhost:${port}/`, 400],
      [`http%3a//${otherHost}/`, 200],
    ] as const) {
      const response = await proxy.send(path)
      assert.equal(response.status, status, `${path}: ${response.body}`)
      if (status === 400)
        assert.equal(JSON.parse(response.body.toString()).error, 'proxy_target_not_allowed')
    }
    assert.equal(hits, 0)
    const absolute = await proxy.send(`${proxy.providerUrl}/other/path?x=1`)
    assert.equal(absolute.body.toString(), '/other/path?x=1')
  })
})
