// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { validateSpec } from './validate-spec.ts'

const signIn = (createAuth: object, properties: object = {}) => ({
  auth_specification: {
    OAuth2: {
      input_specification: { type: 'object', properties },
      authorization_url: 'https://login.example.com/authorize',
      token_url: 'https://login.example.com/token',
      ...createAuth,
    },
  },
})

function getValidationError(spec: unknown): string {
  const validated = validateSpec(spec)
  if (typeof validated !== 'string') assert.fail('the spec was accepted')
  return validated
}

const URL_FIELDS = [
  'api_base_url',
  'authorization_url',
  'token_url',
  'refresh_url',
  'revocation_url',
  'pushed_authorization_request_url',
]
const WRONG_URLS = [
  'login.example.com/token',
  '/token',
  'ftp://login.example.com/token',
  'javascript:alert(1)',
  'https://',
  'https://user:password@login.example.com/',
  'https://login.example.com/#part',
  'https://login.example.com/a b',
  'https:\\\\login.example.com\\',
  'https://login.example.com/${no name}',
  'https://${}/token',
  '${base}.example.com/token',
]
const RIGHT_URLS = [
  'https://login.example.com',
  'https://login.example.com:8443/a/b?c=d',
  'http://127.0.0.1:8080/token',
  'https://${shop}.example.com/${company.id}/token?x=${y}',
  '${base_url}/oauth/token',
  '${base_url}',
  ' https://login.example.com/token ',
  '',
]

describe('validateSpec', () => {
  for (const field of URL_FIELDS) {
    it('says what contradicts the discovery of a server', () => {
      const discover = (auth: object) => ({
        auth_specification: {
          OAuth2: {
            discovery: 'mcp',
            server_url: '${server_url}',
            input_specification: {
              type: 'object',
              properties: { server_url: { type: 'string', format: 'uri' } },
            },
            ...auth,
          },
        },
      })
      assert.notEqual(typeof validateSpec(discover({})), 'string')
      const fixed = discover({ server_url: 'https://mcp.example.com/mcp' })
      assert.notEqual(typeof validateSpec(fixed), 'string')
      for (const [auth, problem] of [
        [{ server_url: '' }, 'OAuth2 has discovery, but no server_url'],
        [{ discovery: undefined }, 'OAuth2 has server_url, but no discovery'],
        [{ discovery: 'other' }, 'OAuth2.discovery must be "mcp" or absent'],
        [{ server_url: 'https://mcp.example.com/?key=1' }, 'OAuth2 has a query in its server_url'],
        [{ token_url: 'https://a.example.com' }, 'OAuth2 has both discovery and token_url'],
        [{ disable_pkce: true }, 'OAuth2 has both discovery and disable_pkce'],
        [{ input_specification: {} }, 'OAuth2.server_url cannot be filled in: server_url'],
      ] as const)
        assert.ok(getValidationError(discover(auth)).includes(problem), problem)
      const unlisted = { ...fixed, 'x-hosts': ['api.example.com'] }
      assert.match(getValidationError(unlisted), /mcp\.example\.com is not listed in x-hosts/)
    })

    it(`accepts URL templates in ${field}, and names the path of an invalid one`, () => {
      for (const url of RIGHT_URLS)
        assert.equal(
          typeof validateSpec(signIn({ [field]: url }, { base_url: { format: 'uri' } })),
          'object',
          url,
        )
      for (const url of WRONG_URLS)
        assert.equal(
          getValidationError(signIn({ [field]: url })),
          `its spec is invalid: auth_specification.OAuth2.${field} must be an https URL, which may contain \${name}.`,
          url,
        )
      const long = `https://login.example.com/${'x'.repeat(4_096)}`
      assert.match(
        getValidationError(signIn({ [field]: long })),
        new RegExp(`${field} must NOT have more`),
      )
      assert.match(
        getValidationError(signIn({ [field]: null })),
        new RegExp(`${field} must be string`),
      )
    })
  }

  it('validates the api_base_url of the spec in the same way', () => {
    assert.match(
      getValidationError({ ...signIn({}), api_base_url: 'api' }),
      /: api_base_url must be an https URL/,
    )
  })

  it('accepts up to 8 plain names in callback_params', () => {
    const names = ['realmId', 'shop', 'a.b', 'a-b', '7', 'x'.repeat(64), 'A_', 'team']
    assert.equal(typeof validateSpec(signIn({ callback_params: names })), 'object')
    assert.match(
      getValidationError(signIn({ callback_params: [...names, 'more'] })),
      /NOT have more than 8/,
    )
    assert.match(getValidationError(signIn({ callback_params: ['a', 'a'] })), /duplicate items/)
    assert.match(
      getValidationError(signIn({ callback_params: 'realmId' })),
      /callback_params must be array/,
    )
  })

  it('rejects callback_params that OAuth uses itself or that could name a credential', () => {
    for (const name of [
      ...['code', 'state', 'error', 'error_description', 'error_uri', 'iss', 'Code', 'STATE'],
      ...['client_id', 'client_secret', 'redirect_uri', 'request_uri', 'scope', 'authType'],
      ...['access_token', 'refresh_token', 'id_token', 'api_key', 'apikey', 'password'],
      ...['__proto__', 'constructor', 'toString', '', 'a b', 'ä', 'x'.repeat(65), '${x}'],
    ])
      assert.equal(
        getValidationError(signIn({ callback_params: ['realmId', name] })),
        'its spec is invalid: auth_specification.OAuth2.callback_params.1 must be a parameter name that OAuth does not use itself.',
        name,
      )
  })

  it('rejects names of parameters that another parameter has, and unknown parameters', () => {
    const validate = (names: object) => validateSpec(signIn({ 'x-param-names': names }))
    assert.equal(typeof validate({ client_id: 'client_key', code: 'auth_code' }), 'object')
    for (const names of [{ code: 'state' }, { client_id: 'code' }, { code: 'x', client_id: 'x' }])
      assert.match(
        String(validate(names)),
        /x-param-names contains \w+, which is the name of another/,
      )
    for (const names of [{ state: 'x' }, { code: '' }, { code: 'a b' }, { code: 7 }])
      assert.match(String(validate(names)), /^its spec is invalid: auth_specification/)
  })

  it('rejects an exchange at a host that x-hosts lacks, with a secret in its path, or an unknown member', () => {
    const validate = (renew: object) => {
      const spec = signIn({ 'x-renew': renew })
      return validateSpec({ ...spec, 'x-hosts': ['a.example', 'login.example.com'] })
    }
    const params = { access_token: '${access_token}' }
    const first = { url: 'https://a.example/first', params }
    assert.match(
      String(validate({ url: 'https://b.example/x', params })),
      /x-renew\.url cannot be filled in: b\.example is not listed in x-hosts/,
    )
    assert.match(
      String(
        validate({
          url: 'https://a.example/x',
          params,
          first: { ...first, url: 'https://b.example' },
        }),
      ),
      /x-renew\.first\.url cannot be filled in/,
    )
    assert.match(
      String(validate({ url: 'https://a.example/${access_token}', params })),
      /x-renew\.url cannot be filled in: access_token/,
    )
    assert.match(
      String(validate({ url: 'https://a.example/x', params, method: 'POST' })),
      /x-renew/,
    )
    assert.match(String(validate({ url: 'https://a.example/x' })), /params/)
  })

  it('rejects a URL that needs a callback parameter before the callback', () => {
    for (const field of ['authorization_url', 'pushed_authorization_request_url']) {
      const createAuth = { callback_params: ['realmId'], [field]: 'https://a.example/${realmId}' }
      assert.equal(
        getValidationError(signIn(createAuth)),
        `its spec is invalid: auth_specification.OAuth2.${field} contains realmId, which is only known after the OAuth callback.`,
      )
      assert.equal(
        typeof validateSpec(signIn(createAuth, { realmId: { type: 'string' } })),
        'object',
      )
    }
    const usedAfterSignIn = {
      callback_params: ['realmId'],
      api_base_url: 'https://a.example/${realmId}',
    }
    assert.equal(typeof validateSpec(signIn(usedAfterSignIn)), 'object')
  })

  describe('a URL with a field', () => {
    const host = { type: 'string', enum: ['accounts.zoho.eu', 'accounts.zoho.com'] }
    const url = { type: 'string', enum: ['https://accounts.zoho.eu', 'https://accounts.zoho.com/'] }
    const start = '${accounts-server}/oauth/v2/token'
    const inHost = 'https://${accounts-server}/oauth/v2/token'
    const atStart = 'accounts-server must be an https URL without user, query and fragment'
    const accepted: readonly (readonly [object, object?])[] = [
      [{ token_url: start }, { 'accounts-server': url }],
      [{ token_url: inHost }, { 'accounts-server': host }],
      [{ token_url: start }, { 'accounts-server': { type: 'string', pattern: '^https://zoho$' } }],
      [{ token_url: start }, { 'accounts-server': { type: 'string', format: 'uri' } }],
      [{ token_url: 'https://${shop}.myshopify.com/token' }, { shop: { type: 'string' } }],
      [{ refresh_url: 'https://a.example/${realmId}/t', callback_params: ['realmId'] }],
      [{ token_url: 'https://a.example/${client_id}' }],
    ]
    it('is accepted if every value of an enum fills it', () => {
      for (const [auth, properties] of accepted)
        assert.equal(typeof validateSpec(signIn(auth, properties)), 'object', JSON.stringify(auth))
    })

    const rejected: readonly (readonly [object, object, string])[] = [
      [{ token_url: start }, { 'accounts-server': host }, atStart],
      [
        { token_url: start },
        { 'accounts-server': { enum: ['https://zoho.eu', 'https://zoho.com?x'] } },
        atStart,
      ],
      [
        { authorization_url: inHost },
        { 'accounts-server': url },
        'accounts-server must be a host name',
      ],
      [{ token_url: start }, {}, 'accounts-server is used at the start of a URL, but'],
      [
        { revocation_url: 'https://${shop}.co.uk/x' },
        { shop: { type: 'string' } },
        'shop is used in a host name, but the spec defines no pattern for it',
      ],
      [{ token_url: 'https://a.example/${scope}' }, {}, 'scope is not known before the sign-in'],
      [{ api_base_url: '${instance_url}' }, {}, 'instance_url is a value of the token response'],
    ]
    it('is rejected if nothing can fill it: every start would fail', () => {
      for (const [auth, properties, message] of rejected) {
        const [field] = Object.keys(auth)
        const text = getValidationError(signIn(auth, properties))
        const expected = `its spec is invalid: auth_specification.OAuth2.${field} cannot be filled in: ${message}`
        assert.ok(text.startsWith(expected), text)
      }
    })

    it('is accepted with a host field without a pattern beside an auth type that works: a published bundle has this', () => {
      const url = 'https://${zendesk_domain}/oauth/tokens'
      const OAuth2 = {
        ...signIn({ token_url: url, authorization_url: url }, {}).auth_specification.OAuth2,
      }
      const other_inputs = {
        input_specification: { type: 'object', properties: { zendesk_domain: { type: 'string' } } },
      }
      const apiKey = {
        input_specification: { type: 'object', properties: { api_key: { type: 'string' } } },
      }
      const spec = { auth_specification: { 'Api-Key': apiKey, OAuth2 }, other_inputs }
      assert.equal(typeof validateSpec(spec), 'object')
      assert.match(
        getValidationError({ ...spec, auth_specification: { OAuth2 } }),
        /zendesk_domain is used in a host name, but the spec defines no pattern for it/,
      )
    })

    it('is rejected if x-hosts does not list a host that the spec decides about', () => {
      const create = (hosts: string[], auth: object, properties: object = {}) =>
        validateSpec({ ...signIn(auth, properties), 'x-hosts': hosts })
      const fields = { 'accounts-server': host }
      assert.match(
        String(create(['login.example.com', 'accounts.zoho.eu'], { token_url: inHost }, fields)),
        /token_url cannot be filled in: accounts\.zoho\.com is not listed in x-hosts\.$/,
      )
      assert.match(String(create(['api.example.com'], {})), /login\.example\.com is not listed/)
      assert.equal(
        typeof create(['*.zoho.eu', '*.zoho.com'], { token_url: inHost }, fields),
        'object',
      )
    })
  })

  describe('a declared revocation', () => {
    const url = 'https://api.example.com/revoke'
    const json = { token: '${token}' }
    const errorOf = (requests: unknown, auth: object = {}, properties: object = {}) =>
      validateSpec(signIn({ 'x-revocation': requests, ...auth }, properties))

    it('is accepted with every method and place of a token', () => {
      for (const request of [
        { url, json },
        { url, form: { t: '${refresh_token}' }, auth_method: 'body' },
        { url, headers: { Authorization: 'Bearer ${access_token}' } },
        { url, method: 'GET', query: { token: '${token}' } },
        { url: `${url}/\${client_id}`, method: 'DELETE', json, status: [204, 404] },
        { url, json, match: { 'data.ok': true } },
      ])
        assert.equal(typeof errorOf([request]), 'object', JSON.stringify(request))
    })

    it('is rejected with the path of what is wrong', () => {
      const headers = { Authorization: 'Bearer ${token}' }
      const at = 'auth_specification.OAuth2.x-revocation'
      const properties = { key: { type: 'string', format: 'password' } }
      for (const [requests, message] of [
        [{ url, json }, `${at} must be array`],
        [[], `${at} must NOT have fewer than 1`],
        [Array(4).fill({ url, json }), `${at} must NOT have more than 3`],
        [[{ json }], `${at}.0 must have required property 'url'`],
        [[{ url: 'http//x', json }], `${at}.0.url must be an https URL`],
        [[{ url, json, body: 1 }], `${at}.0 must NOT have additional`],
        [[{ url, json, method: 'PUT' }], `${at}.0.method must be "DELETE", "GET", "POST"`],
        [[{ url, json, auth_method: 'x' }], `${at}.0.auth_method must be "body", "header"`],
        [[{ url, json: { token: { a: '${token}' } } }], `${at}.0.json.token must be string`],
        [[{ url, headers: { 'a b': '${token}' } }], `${at}.0.headers must have names of headers`],
        [[{ url, headers: { Host: '${token}' } }], `${at}.0.headers must have names of headers`],
        [[{ url, json, status: 99 }], `${at}.0.status must be >= 100`],
        [[{ url, headers }, { url }], `${at}.1 names no token`],
        [[{ url, json, form: json }], `${at}.0 has two bodies`],
        [[{ url, method: 'GET', json }], `${at}.0 has a body, which GET cannot send`],
        [[{ url, headers, auth_method: 'body' }], `${at}.0 sends the client in the body`],
        [
          [{ url, json, headers: { a: '${access_token}' } }],
          `${at}.0 names token and access_token`,
        ],
        [[{ url: 'https://${token}.example.com/', json }], `${at}.0 has token in its URL`],
        [[{ url: `${url}?a=\${client_secret}`, json }], `${at}.0 has client_secret in its URL`],
        [[{ url: `${url}/\${key}`, json }], `${at}.0 has key in its URL`],
        [
          [{ url: '${base}/revoke', json }],
          `${at}.0.url cannot be filled in: base is used at the start`,
        ],
      ] as const) {
        const text = String(errorOf(requests, {}, properties))
        assert.ok(text.startsWith(`its spec is invalid: ${message}`), text)
      }
      assert.match(
        String(errorOf([{ url, json }], { revocation_url: url })),
        /OAuth2 has both revocation_url and x-revocation/,
      )
      const spec = signIn({ 'x-revocation': [{ url, json }] })
      assert.match(
        String(validateSpec({ ...spec, 'x-hosts': ['login.example.com'] })),
        /x-revocation\.0\.url cannot be filled in: api\.example\.com is not listed in x-hosts/,
      )
    })
  })

  describe('a parameter of the callback in a host', () => {
    const validate = (auth: object, hosts?: readonly string[], properties: object = {}) =>
      validateSpec({
        ...signIn({ callback_params: ['server'], ...auth }, properties),
        ...(hosts && { 'x-hosts': hosts }),
      })
    const hosts = ['login.example.com', 'login.example.eu']

    it('is accepted in the token, refresh and revocation URL if x-hosts lists where it leads', () => {
      for (const url of [
        '${server}/token',
        'https://login.example.${server}/token',
        'https://${server}/t',
      ]) {
        assert.equal(typeof validate({ token_url: url }, hosts), 'object', url)
        assert.equal(typeof validate({ refresh_url: url }, hosts), 'object', url)
        assert.equal(typeof validate({ revocation_url: url }, hosts), 'object', url)
        const revocation = [{ url, form: { token: '${token}' } }]
        assert.equal(typeof validate({ 'x-revocation': revocation }, hosts), 'object', url)
      }
      assert.equal(typeof validate({ token_url: 'https://a.example/${server}/t' }), 'object')
    })

    it('is rejected without x-hosts, with none that fits, and before the callback', () => {
      for (const url of [
        '${server}/token',
        'https://login.example.${server}/token',
        'https://${server}.example.com/t',
      ])
        assert.match(
          String(validate({ token_url: url })),
          /token_url cannot be filled in: server is a parameter of the callback, which needs x-hosts/,
          url,
        )
      assert.match(
        String(validate({ token_url: 'https://auth.example.${server}/token' }, hosts)),
        /token_url cannot be filled in: x-hosts lists no host that it could have/,
      )
      for (const field of ['authorization_url', 'pushed_authorization_request_url'])
        assert.match(
          String(validate({ [field]: '${server}/authorize' }, hosts)),
          new RegExp(`${field} contains server, which is only known after the OAuth callback`),
        )
      const facts = { 'x-facts': [{ name: 'site', title: 'Site' }] }
      assert.match(
        String(validate({ token_url: 'https://login.example.com/${site}', ...facts }, hosts)),
        /token_url contains site, which is only known after the sign-in/,
      )
    })
  })

  it('rejects complete headers without templates', () => {
    const createAuth = (overrides: object) =>
      validateSpec({ auth_specification: { A: { 'x-headers': 'complete', ...overrides } } })
    assert.match(
      String(createAuth({})),
      /auth_specification\.A must have required property 'headers'/,
    )
    assert.equal(typeof createAuth({ headers: { 'X-Key': 'a' } }), 'object')
  })

  it('names the path of any other field with a wrong type or size', () => {
    for (const [field, value, expectedMessage] of [
      ['authorization_params', ['a'], 'must be object'],
      ['token_params', 'a=b', 'must be object'],
      ['refresh_params', Object.fromEntries([...Array(51).keys()].map((n) => [n, n])), 'NOT have'],
      ['default_scopes', 'a b', 'must be array'],
      ['scope_separator', 7, 'must be string'],
      ['scope_seperator', ['x'], 'must be string'],
      ['token_request_auth_method', true, 'must be string'],
      ['authorization_method', 'x'.repeat(101), 'must NOT have more'],
      ['body_format', {}, 'must be string'],
      ['disable_pkce', 'yes', 'must be true or false'],
      ['x-issuer', 7, 'must be string'],
      ['x-refresh', 'sometimes', 'must be "always" or absent'],
      ['x-headers', 'partial', 'must be "complete" or absent'],
      ['x-revokes', 'everything', 'must be "token", "grant" or absent'],
      ['x-scope-labels', ['a'], 'must be object'],
      ['x-scope-labels', { a: 7 }, 'must be string'],
      ['x-scope-labels', { a: ' ' }, 'must match pattern'],
      ['x-scope-labels', { a: 'x'.repeat(201) }, 'must NOT have more than 200'],
      ['x-scope-labels', { '': 'x' }, 'must NOT have fewer'],
      ['x-scope-labels', { ['a'.repeat(201)]: 'x' }, 'must NOT have more than 200'],
      [
        'x-scope-labels',
        Object.fromEntries([...Array(101).keys()].map((n) => [n, 'x'])),
        'NOT have',
      ],
      ['x-i18n', { 'de-AT': { 'x-scope-labels': { a: 'x' } } }, 'must match pattern'],
      ['x-i18n', { de: {} }, 'must NOT have fewer'],
      ['x-i18n', { de: { scopes: { a: 'x' } } }, 'must NOT have additional'],
      [
        'x-i18n',
        { de: { 'x-scope-labels': { a: 'x'.repeat(201) } } },
        'must NOT have more than 200',
      ],
      ['x-auth-errors', {}, 'must be array'],
      ['x-auth-errors', [{ status: 200 }], "must have required property 'match'"],
      ['x-auth-errors', [{ status: [403, 500] }], "must have required property 'match'"],
      ['x-auth-errors', [{}], "must have required property 'match'"],
      ['x-auth-errors', [{ match: {} }], 'must NOT have fewer'],
      ['x-auth-errors', [{ match: { a: 1 }, headers: {} }], 'must NOT have additional'],
      ['x-auth-errors', [{ status: 99, match: { a: 1 } }], 'must be >= 100'],
      ['x-auth-errors', [{ status: ['200'], match: { a: 1 } }], 'must be integer'],
      ['x-auth-errors', [{ match: { 'a..b': 1 } }], 'must have paths such as error.code'],
      ['x-auth-errors', [{ match: { [`a${'.a'.repeat(10)}`]: 1 } }], 'must have paths such as'],
      ['x-auth-errors', [{ match: { a: { endsWith: 'x' } } }], 'must'],
      ['x-auth-errors', [{ match: { a: [[]] } }], 'must be string,number,boolean,null'],
      ['x-auth-errors', [{ match: { a: 'x'.repeat(201) } }], 'must NOT have more'],
      ['x-auth-errors', Array(21).fill({ match: { a: 1 } }), 'must NOT have more than 20'],
      ['x-refresh-errors', { means: 'ended' }, 'must be array'],
      ['x-refresh-errors', [{ match: { a: 1 } }], "must have required property 'means'"],
      ['x-refresh-errors', [{ means: 'ended' }], "must have required property 'match'"],
      [
        'x-refresh-errors',
        [{ status: 400, means: 'dead' }],
        'must be "temporary", "ended" or "client"',
      ],
      [
        'x-refresh-errors',
        [{ status: 400, means: 'ended', text: 'a' }],
        'must NOT have additional',
      ],
      ['x-refresh-errors', Array(21).fill({ status: 400, means: 'ended' }), 'more than 20'],
      ['headers', { Authorization: 7 }, 'must be string'],
    ] as const) {
      const message = getValidationError(signIn({ [field]: value }))
      assert.ok(message.includes(`auth_specification.OAuth2.${field}`), `${field}: ${message}`)
      assert.ok(message.includes(expectedMessage), `${field}: ${message}`)
    }
    const long = { authorization_params: { a: 'x'.repeat(4_097) } }
    assert.match(getValidationError(signIn(long)), /authorization_params\.a must NOT have more/)
    const named = { auth_specification: { 'Api/Key~': { token_url: 7 } } }
    assert.match(
      getValidationError(named),
      /auth_specification\.Api\/Key~\.token_url must be string/,
    )
  })

  it('accepts labels only for values of an enum', () => {
    const createLabelledField = (labels: object) =>
      signIn({}, { region: { enum: ['eu', 1, true], 'x-labels': labels } })
    for (const labels of [{}, { eu: 'Europe' }, { 1: 'One', true: 'Yes' }])
      assert.equal(
        typeof validateSpec(createLabelledField(labels)),
        'object',
        JSON.stringify(labels),
      )
    for (const name of ['us', '', 'toString', 'True'])
      assert.ok(
        getValidationError(createLabelledField({ [name]: 'x' })).includes(`contains "${name}"`),
        name,
      )
  })

  it('ignores unknown fields', () => {
    const spec = { ...signIn({ 'x-mine': { a: 1 }, note: null }), anything: [1] }
    const validated = validateSpec(spec)
    assert.deepEqual(typeof validated === 'object' && JSON.parse(validated.json), spec)
  })
})
