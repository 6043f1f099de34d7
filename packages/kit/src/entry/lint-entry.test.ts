import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lintEntry } from './lint-entry.ts'

const GOOD = {
  runtime: 1,
  key: 'acme',
  name: 'Acme',
  category: 'CRM',
  version: '1.0.0',
  docs: 'https://acme.dev/docs',
  hosts: ['api.acme.dev', 'acme.dev'],
  auth: {
    OAuth2: {
      authorize: 'https://acme.dev/authorize',
      token: 'https://acme.dev/token',
      scopes: { default: ['read'] },
    },
    Token: {
      headers: { Authorization: 'Bearer ${token}' },
      fields: { token: { title: 'Token', secret: true, help: 'In your settings.' } },
    },
  },
  check: { get: '/me', errors: [{ status: 403, hint: 'Allow it to read.' }] },
  identity: { id: 'id', label: 'email' },
}

/** The entry with another value at a path; undefined removes it. */
function change(path: string, value: unknown): unknown {
  const entry = structuredClone(GOOD)
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce<Record<string, unknown>>(
    (found, name) => found[name] as Record<string, unknown>,
    entry,
  )
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return entry
}

const SITE = { name: 'site', title: 'Site', get: '/sites', list: '', value: 'id', label: 'name' }

const REVOKE = { post: 'https://acme.dev/revoke', json: { token: '${token}' } }

describe('lintEntry', () => {
  it('finds nothing in a good entry', () => assert.deepEqual(lintEntry(GOOD), []))

  it('accepts sign-in at an MCP server, which needs its release of the runtime', () => {
    const server_url = { title: 'Server URL', type: 'url', help: 'The address.' }
    const createEntry = (auth: object, rest: object = {}) => ({
      ...GOOD,
      runtime: 6,
      hosts: 'any',
      base: '${server_url}',
      identity: undefined,
      auth: { OAuth2: { mcp: '${server_url}', fields: { server_url }, ...auth } },
      ...rest,
    })
    const lintJson = (entry: object) => lintEntry(JSON.parse(JSON.stringify(entry)))
    assert.deepEqual(lintJson(createEntry({})), [])
    const [problem] = lintJson(createEntry({}, { runtime: 5 }))
    assert.deepEqual(problem, { path: 'runtime', message: 'must be 6 or later for mcp.' })
    for (const auth of [{ token: 'https://acme.dev/token' }, { mcp: 'https://acme.dev/mcp?key=1' }])
      assert.notDeepEqual(lintJson(createEntry(auth)), [])
  })

  const fields = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`field${index}`, { title: 'Field' }]),
  )
  const problems: readonly (readonly [path: string, value: unknown, at: string, says: RegExp])[] = [
    ['extra', 1, 'extra', /not a property/],
    ['auth.OAuth2.authorise', 'x', 'auth.OAuth2.authorise', /not a property/],
    ['auth.OAuth2.token', undefined, 'auth.OAuth2.token', /missing/],
    ['auth.Token.fields.token.secret', false, 'auth.Token.fields.token.secret', /must be true/],
    ['auth.Token.fields', fields, 'auth.Token.fields', /more than 30/],
    ['category', 'NONE', 'category', /one of HRIS/],
    ['check', undefined, 'check', /missing/],
    ['check.errors.0.status', 42, 'check.errors.0.status', /100/],
    ['auth', null, 'auth', /object/],
    ['docs', 'http://acme.dev', 'docs', /pattern/],
    [
      'auth.OAuth2.token',
      'https://elsewhere.dev/token',
      'hosts',
      /hosts do not cover elsewhere\.dev/,
    ],
    ['check.get', '/${nothing}', 'auth.OAuth2', /nothing.* has no value/],
    ['check.get', 'ftp://acme.dev', 'check.get', /pattern/],
    ['auth.Token.fields.token.pattern', '^(a+)+$', 'auth.Token.fields.token', /exponential/],
    ['check.get', '/${token}', 'auth.Token', /secret token must not be part of a URL/],
    ['hosts', ['*.vercel.app'], 'hosts', /public domain/],
    [
      'auth.Token',
      { basic: '${token}:', headers: { 'X-Site': '1' }, fields: GOOD.auth.Token.fields },
      'auth.Token.headers',
      /not a property/,
    ],
    ['auth.OAuth2.revoke', {}, 'auth.OAuth2.revoke.post', /missing/],
    ['auth.OAuth2.revoke', 7, 'auth.OAuth2.revoke', /object/],
    ['auth.OAuth2.revoke', [], 'auth.OAuth2.revoke', /fewer than 1/],
    ['auth.OAuth2.revoke', { ...REVOKE, put: 'x' }, 'auth.OAuth2.revoke.put', /not a property/],
    ['auth.OAuth2.revoke', { ...REVOKE, json: { a: 1 } }, 'auth.OAuth2.revoke.json.a', /string/],
    ['auth.OAuth2.revoke', { post: REVOKE.post }, 'auth.OAuth2.revoke', /^names no token/],
    [
      'auth.OAuth2.revoke',
      [REVOKE, { ...REVOKE, form: { a: 'b' } }],
      'auth.OAuth2.revoke.1',
      /two bodies/,
    ],
    [
      'auth.OAuth2.revoke',
      { ...REVOKE, headers: { A: '${nothing}' } },
      'auth.OAuth2.revoke',
      /nothing/,
    ],
    [
      'auth.OAuth2.revoke',
      { ...REVOKE, post: 'https://elsewhere.dev/' },
      'hosts',
      /elsewhere\.dev/,
    ],
    [
      'auth.OAuth2.revoke',
      { ...REVOKE, post: 'https://acme.dev/${refresh_token}' },
      'auth.OAuth2',
      /refresh_token must not be part of a URL/,
    ],
    [
      'auth.OAuth2.revoke',
      { ...REVOKE, delete: 'https://acme.dev/' },
      'auth.OAuth2.revoke.delete',
      /not a property/,
    ],
    ['runtime', '1', 'runtime', /integer/],
    ['checkInterval', 900, 'runtime', /^must be 5 or later for checkInterval\.$/],
    ['checkInterval', 604_801, 'checkInterval', /604800/],
    ['checkInterval', '900', 'checkInterval', /integer/],
    ['getMayWrite', true, 'runtime', /7 or later for getMayWrite/],
    ['getMayWrite', false, 'getMayWrite', /true/],
    ['auth.OAuth2.appSetup', ['Open it.'], 'runtime', /5 or later for appSetup/],
    ['auth.OAuth2.appSetup', Array(11).fill('x'), 'auth.OAuth2.appSetup', /more than 10/],
    ['auth.OAuth2.appSetup', ['x', ' '], 'auth.OAuth2.appSetup.1', /pattern/],
    ['auth.OAuth2.appSetup', ['x'.repeat(301)], 'auth.OAuth2.appSetup.0', /300/],
    ['auth.Token.appSetup', ['x'], 'auth.Token.appSetup', /not a property/],
    ['auth.OAuth2.requiredScopes', ['read'], 'runtime', /4 or later for requiredScopes/],
    ['identity.scopes', 'scopes', 'runtime', /4 or later for identity\.scopes/],
    ['after', [{ ...SITE, where: {} }], 'after.0.where', /fewer than 1/],
    ['after', [{ ...SITE, get: 'https://elsewhere.dev/sites' }], 'hosts', /elsewhere\.dev/],
  ]
  for (const [path, value, at, says] of problems)
    it(`names ${at || 'what is wrong'} if ${path} is ${String(JSON.stringify(value)).slice(0, 40)}`, () => {
      const [problem] = lintEntry(change(path, value))
      assert.equal(problem?.path, at)
      assert.match(problem?.message ?? '', says)
    })

  it('accepts how often to check, from 15 minutes to 7 days or never, and steps for an OAuth app', () => {
    const lintLatest = (entry: object) => lintEntry({ ...GOOD, runtime: 5, ...entry })
    for (const checkInterval of [0, 900, 604_800])
      assert.deepEqual(lintLatest({ checkInterval }), [])
    for (const checkInterval of [1, 899])
      assert.deepEqual(lintLatest({ checkInterval }), [
        {
          path: 'checkInterval',
          message: 'must be 900 to 604800 seconds (15 minutes to 7 days), or 0 for never.',
        },
      ])
    const OAuth2 = { ...GOOD.auth.OAuth2, appSetup: ['Open your settings.'] }
    assert.deepEqual(lintLatest({ auth: { OAuth2 } }), [])
  })

  it('accepts every kind of revocation', () => {
    for (const revoke of [
      'https://acme.dev/revoke',
      REVOKE,
      [
        REVOKE,
        { delete: 'https://acme.dev/${client_id}', client: 'header', query: { t: '${token}' } },
      ],
      { get: 'https://acme.dev/revoke', headers: { Authorization: 'Bearer ${access_token}' } },
      { ...REVOKE, expect: [200, 404], ok: { path: 'ok', equals: true }, client: 'body' },
    ])
      assert.deepEqual(lintEntry(change('auth.OAuth2.revoke', revoke)), [])
  })

  it('accepts a parameter of the callback in the token URL only with hosts that it leads to', () => {
    const lintToken = (token: string, hosts: unknown) => {
      const OAuth2 = { ...GOOD.auth.OAuth2, token, callbackParams: ['server'] }
      const fields = { url: { title: 'URL', type: 'url', help: 'Yours.' } }
      const auth = { OAuth2: { ...OAuth2, ...(hosts === 'any' && { fields }) } }
      return lintEntry({ ...GOOD, auth, hosts, ...(hosts === 'any' && { base: '${url}' }) }).map(
        ({ path, message }) => `${path}: ${message}`,
      )
    }
    assert.deepEqual(lintToken('${server}/token', GOOD.hosts), [])
    assert.deepEqual(lintToken('https://${server}.acme.dev/token', GOOD.hosts), [])
    assert.deepEqual(lintToken('https://${server}.acme.org/token', GOOD.hosts), [
      'hosts: hosts do not cover ….acme.org.',
    ])
    for (const token of ['${server}/token', 'https://${server}.acme.dev/token'])
      assert.deepEqual(lintToken(token, 'any'), [
        'hosts: server comes from the callback and decides about a host: list the hosts.',
      ])
    const authorize = change('auth.OAuth2.authorize', 'https://acme.dev/${server}')
    assert.match(lintEntry(authorize)[0]?.message ?? '', /server.* has no value before sign-in/)
  })

  it('refuses a name that the bundle would lose', () => {
    const entry = JSON.parse(JSON.stringify(GOOD).replace('{', '{"__proto__": {},'))
    assert.match(lintEntry(entry)[0]?.message ?? '', /__proto__ is not a name/)
  })

  it('accepts no value that is not an object', () => {
    for (const value of [null, undefined, 1, 'x', [], () => {}])
      assert.equal(lintEntry(value).length, 1)
  })
})
