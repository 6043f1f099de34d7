// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillUrlTemplate, TemplateError } from './template.ts'
import { HOSTILE_VALUES } from './test/hostile-values.ts'

const fields = { host: new Set(['shop']), url: new Set(['base_url']) }

describe('fillUrlTemplate with hostile values', () => {
  it('has a corpus of at least 200 values', () =>
    assert.ok(new Set(HOSTILE_VALUES).size >= 200, `${new Set(HOSTILE_VALUES).size}`))

  it('keeps a value inside its path segment or query', () => {
    let accepted = 0
    for (const value of HOSTILE_VALUES) {
      const url = tryFill('https://login.example.com:8443/a/${value}/token?t=${value}&z=1', {
        value,
      })
      if (url === undefined) continue
      accepted += 1
      assert.equal(url.origin, 'https://login.example.com:8443', JSON.stringify(value))
      assert.equal(url.username + url.password + url.hash, '')
      const segments = url.pathname.split('/')
      assert.deepEqual([segments.length, segments[1], segments[3]], [4, 'a', 'token'], url.href)
      assert.equal(decodeURIComponent(segments[2] ?? ''), value)
      assert.deepEqual(
        [...url.searchParams],
        [
          ['t', value],
          ['z', '1'],
        ],
        url.href,
      )
    }
    assert.ok(accepted > 100, `${accepted} taken`)
  })

  it('fills missing fields with the defaults of the spec', () => {
    const fieldsWithDefaults = { ...fields, defaults: { shop: 'acme', page: 1 } }
    const fillWithDefaults = (values: object) =>
      fillUrlTemplate('https://${shop}.example.com/${page}', { ...values }, fieldsWithDefaults)
    for (const emptyValues of [{}, { shop: null, page: '' }])
      assert.equal(fillWithDefaults(emptyValues), 'https://acme.example.com/1')
    assert.equal(fillWithDefaults({ shop: 'other', page: 2 }), 'https://other.example.com/2')
    const maliciousDefault = { ...fields, defaults: { shop: 'evil.example#' } }
    assert.throws(
      () => fillUrlTemplate('https://${shop}.example.com', {}, maliciousDefault),
      TemplateError,
    )
  })

  it('stays below the fixed part of the host', () => {
    for (const value of HOSTILE_VALUES) {
      const url = tryFill('https://${shop}.example.com/token', { shop: value })
      if (url === undefined) continue
      assert.equal(url.hostname, `${value.toLowerCase()}.example.com`)
      assert.equal(url.pathname + url.search + url.port + url.username, '/token')
    }
  })

  it('never changes the host unless the spec allows it', () => {
    for (const value of HOSTILE_VALUES) {
      for (const template of [
        'https://${value}.com/',
        'https://${value}.co.uk/',
        'https://a${value}.example.com/',
        'https://${value}.${shop}.example.com/',
        'https://a.${value}/',
        '${value}/token',
      ]) {
        assert.equal(
          tryFill(template, { value }),
          undefined,
          `${template} ${JSON.stringify(value)}`,
        )
      }
    }
  })

  it('accepts one label below a fixed domain for a field without a pattern', () => {
    for (const value of HOSTILE_VALUES) {
      for (const [template, expectedSuffix] of [
        ['https://${value}.example.com/token', '.example.com'],
        ['https://${value}-api.example.co.uk/token', '-api.example.co.uk'],
        ['https://api.${value}.example.com/token', '.example.com'],
      ] as const) {
        const url = tryFill(template, { value })
        if (url === undefined) continue
        assert.ok(url.hostname.endsWith(expectedSuffix), url.hostname)
        assert.equal(url.hostname, template.slice(8, -6).replace('${value}', value.toLowerCase()))
        assert.doesNotMatch(value, /[^A-Za-z0-9-]/)
      }
    }
    assert.equal(
      tryFill('https://${value}.example.com/', { value: 'acme' })?.host,
      'acme.example.com',
    )
    assert.equal(tryFill('https://${value}.example.com/', { value: 'a.b' }), undefined)
  })

  it('accepts a port only in a constrained field and if the template has none', () => {
    const getHost = (template: string, value: string) =>
      tryFill(template, { shop: value, value })?.host
    assert.equal(getHost('https://${shop}/token', 'acme.test:8443'), 'acme.test:8443')
    assert.equal(getHost('https://${shop}/token', 'acme.test:443'), 'acme.test')
    assert.equal(getHost('https://${shop}:9000/token', 'acme.test:8443'), undefined)
    assert.equal(getHost('https://${shop}.example.com/token', 'acme:8443'), undefined)
    assert.equal(getHost('https://${shop}/token', 'acme.test:99999'), undefined)
    assert.equal(getHost('https://${value}.example.com/', 'acme:8443'), undefined)
  })

  it('accepts a base URL only if it is valid and has no user, query or fragment', () => {
    const accepted = HOSTILE_VALUES.filter((value) =>
      tryFill('${base_url}/token', { base_url: value }),
    )
    assert.deepEqual(accepted, [
      'https://evil.test',
      'http://evil.test',
      'HTTPS://A',
      'https://a/b/c',
      'https://a:8443',
      'https://a.test/',
      'https://a.test//b',
    ])
  })
})

describe('fillUrlTemplate', () => {
  it('encodes values for the path and the query', () => {
    const template = 'https://${shop}.example.com/${tenant}/token?a=${q}'
    const values = { shop: 'acme', tenant: 'a b/c', q: "1&2+'" }
    assert.equal(
      fillUrlTemplate(template, values, fields),
      'https://acme.example.com/a%20b%2Fc/token?a=1%262%2B%27',
    )
  })

  it('joins a base URL and its path with one slash', () => {
    const values = { base_url: 'https://git.example.com:8443/sub/' }
    assert.equal(
      fillUrlTemplate('${base_url}/oauth/token', values, fields),
      'https://git.example.com:8443/sub/oauth/token',
    )
    assert.equal(fillUrlTemplate('${base_url}', values, fields), 'https://git.example.com:8443/sub')
  })

  it('names a missing, empty or non-text field in the error, but not its value', () => {
    for (const tenant of [undefined, null, '', {}, [], ['a'], () => {}]) {
      assert.throws(
        () => fillUrlTemplate('https://a.test/${tenant}', { tenant }, fields),
        (error) =>
          error instanceof TemplateError &&
          error.field === 'tenant' &&
          /^tenant /.test(error.message),
      )
    }
    assert.throws(() => fillUrlTemplate('https://a.test/${toString}', {}, fields), {
      field: 'toString',
      message: /is required/,
    })
    assert.throws(
      () => fillUrlTemplate('https://${shop}.a.test/', { shop: 'hunter2 hunter2' }, fields),
      (error) => error instanceof TemplateError && !error.message.includes('hunter2'),
    )
  })

  it('rejects dot segments, encoded ones too', () => {
    const dotSegmentValues = [
      '..',
      '.',
      '../x',
      'a/../b',
      'a/./b',
      '..\\..',
      '%2e%2e',
      '..%2f..',
      '.%2E',
      'x%5c..',
    ]
    for (const value of dotSegmentValues) {
      assert.equal(tryFill('https://a.test/t/${value}/x', { value }), undefined, value)
    }
    assert.equal(tryFill('https://a.test/t/%2${value}%2E/x', { value: 'e' }), undefined)
  })

  it('rejects values that are not host names or longer than 2,048 characters', () => {
    for (const shop of ['a..b', '.a', 'a.', '-a', 'a-', 'a_b', 'a/b', 'a:1', 'a@b', 'ü']) {
      assert.equal(tryFill('https://${shop}.example.com/', { shop }), undefined, shop)
    }
    const template = 'https://a.test/${value}'
    assert.ok(tryFill(template, { value: 'a'.repeat(2_048) }))
    assert.equal(tryFill(template, { value: 'a'.repeat(2_049) }), undefined)
  })

  it('rejects hosts that the URL parser rewrites', () => {
    for (const shop of ['2130706433', '127.1', '0x7f.1', '0177.0.0.1', 'xn--']) {
      assert.equal(tryFill('https://${shop}/token', { shop }), undefined, shop)
    }
    assert.equal(
      tryFill('https://${shop}/token', { shop: 'Acme.Example.COM' })?.host,
      'acme.example.com',
    )
  })

  it('converts numbers and booleans to text', () => {
    assert.equal(
      fillUrlTemplate('https://a.test/${n}/${b}', { n: 7, b: true }, fields),
      'https://a.test/7/true',
    )
  })

  it('rejects templates that are not URLs or hide their target', () => {
    const invalidTemplates = [
      '',
      'a',
      '/token',
      'ftp://a.test',
      'https://',
      'https://u:p@a.test/',
      'https://a.test/#x',
      'https://a.test\\b',
      'https://a.test:${port}/',
      'https://a.test/${',
      'https://a.test/${a b}',
      '${base_url}.evil.test',
      '${base_url}@evil.test',
      '${base_url}#a',
      '${base_url}:8/x',
      'javascript://${shop}',
      '${shop}://a.test',
      'https:/${shop}/a',
      'https://a.test/${}',
      'https://a.test/a b',
    ]
    const values = { shop: 'acme', port: '8', base_url: 'https://a.test' }
    for (const template of invalidTemplates)
      assert.equal(tryFill(template, values), undefined, template)
  })
})

function tryFill(template: string, values: Record<string, unknown>): URL | undefined {
  try {
    return new URL(fillUrlTemplate(template, values, fields))
  } catch (error) {
    assert.ok(error instanceof TemplateError, String(error))
    return undefined
  }
}

describe('fillUrlTemplate with a parameter of the callback', () => {
  const callback = {
    names: new Set(['server', 'dc']),
    hosts: ['accounts.acme.com', 'accounts.acme.eu', '*.sites.acme.com'],
    authorizationOrigin: 'https://accounts.acme.com',
  }
  const withCallback = (authorizationOrigin?: string) => ({
    ...fields,
    callback: { ...callback, authorizationOrigin },
  })
  const fill = (template: string, values: object, origin: string | undefined = ORIGIN) =>
    fillUrlTemplate(template, { ...values }, withCallback(origin))
  const ORIGIN = 'https://accounts.acme.com'

  it('leads to the hosts of the spec and to no other', () => {
    for (const server of [
      'https://accounts.acme.eu',
      'https://accounts.acme.eu/',
      'https://ACCOUNTS.acme.eu',
      'https://x.sites.acme.com',
    ])
      assert.equal(
        fill('${server}/token', { server }),
        `${server.toLowerCase().replace(/\/$/, '')}/token`,
      )
    for (const dc of ['eu', 'com'])
      assert.equal(
        fill('https://accounts.acme.${dc}/token', { dc }),
        `https://accounts.acme.${dc}/token`,
      )
    assert.equal(
      fill('https://${dc}/token', { dc: 'accounts.acme.eu' }),
      'https://accounts.acme.eu/token',
    )
  })

  it('refuses everything else, among it 200 hostile values', () => {
    const hostile = [
      ...HOSTILE_VALUES,
      'http://accounts.acme.eu',
      'https://accounts.acme.eu:444',
      'https://accounts.acme.eu/path',
      'https://accounts.acme.eu?x',
      'https://accounts.acme.eu@evil.example',
      'https://evil.example',
      'https://evil.example#accounts.acme.eu',
      'https://accounts.acme.eu.evil.example',
      'https://evil-accounts.acme.eu',
      'https://sites.acme.com',
      'https://accounts.acme.eu%2eevil.example',
      'https://accounts。acme.eu',
      'accounts.acme.eu',
      '//accounts.acme.eu',
      'javascript:https://accounts.acme.eu',
    ]
    for (const server of hostile)
      assert.throws(
        () => fill('${server}/token', { server }),
        TemplateError,
        JSON.stringify(server),
      )
    for (const dc of [...HOSTILE_VALUES, 'eu:444', 'eu/', 'eu@evil.example', 'evil.example', 'org'])
      assert.throws(
        () => fill('https://accounts.acme.${dc}/token', { dc }),
        TemplateError,
        JSON.stringify(dc),
      )
    for (const dc of ['accounts.acme.eu:444', 'evil.example', '.accounts.acme.eu', ''])
      assert.throws(() => fill('https://${dc}/token', { dc }), TemplateError, dc)
  })

  it('has the scheme and port of the authorization endpoint', () => {
    const local = 'http://accounts.acme.com:8080'
    const server = 'http://accounts.acme.eu:8080'
    assert.equal(fill('${server}/t', { server }, local), `${server}/t`)
    for (const other of ['https://accounts.acme.eu', 'http://accounts.acme.eu'])
      assert.throws(() => fill('${server}/t', { server: other }, local), TemplateError)
  })

  it('without a value is where the authorization request went, if the spec lists that host', () => {
    assert.equal(fill('${server}/t', {}), 'https://accounts.acme.com/t')
    const origin = 'https://accounts.acme.${region}'
    const regions = { ...withCallback(origin), host: new Set(['region']) }
    assert.equal(
      fillUrlTemplate('${server}/t', { region: 'eu' }, regions),
      'https://accounts.acme.eu/t',
    )
    assert.throws(() => fill('${server}/t', {}, 'https://login.acme.com'), /server is required/)
    assert.throws(() => fill('https://accounts.acme.${dc}/t', {}), /dc is required/)
  })
})
