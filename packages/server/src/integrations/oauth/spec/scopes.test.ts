import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GrantedScopes } from '@linchpin/runner'
import { buildOAuthType } from '../test/servers.ts'
import {
  type AppScopes,
  createGrant,
  getRequestedScopes,
  listKnownScopes,
  listMissingScopes,
  NO_SCOPES,
  planScopes,
} from './scopes.ts'

/** What a provider says in a token response about what was requested. */
interface Shape {
  readonly requested: readonly string[]
  readonly separator?: string
  readonly rules: GrantedScopes
  /** `scope` of the token response, if it has one. */
  readonly scope: string | undefined
  readonly missing: readonly string[]
}

/** As the providers document them; the sources are in the evidence of the catalogue's entries. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'Slack separates by commas': {
    requested: ['channels:read', 'chat:write', 'users:read'],
    separator: ',',
    rules: {},
    scope: 'channels:read,users:read',
    missing: ['chat:write'],
  },
  'Shopify requests with commas, and a write scope includes the read scope': {
    requested: ['read_products', 'write_products', 'read_orders'],
    separator: ',',
    rules: { implied: { write_products: ['read_products'] } },
    scope: 'write_products',
    missing: ['read_orders'],
  },
  'Microsoft leaves out the prefix of its resource, and offline_access': {
    requested: [
      'offline_access',
      'https://graph.microsoft.com/Mail.Read',
      'https://graph.microsoft.com/Mail.Send',
    ],
    rules: { prefix: 'https://graph.microsoft.com/', unreported: ['offline_access'] },
    scope: 'profile openid email Mail.Read',
    missing: ['https://graph.microsoft.com/Mail.Send'],
  },
  'Microsoft adds the prefix of its resource': {
    requested: ['User.Read', 'Files.Read'],
    rules: { prefix: 'https://graph.microsoft.com/' },
    scope: 'https://graph.microsoft.com/user.read',
    missing: ['Files.Read'],
  },
  'Google calls email and profile by their URLs': {
    requested: ['openid', 'email', 'https://www.googleapis.com/auth/drive.file'],
    rules: { implied: { 'https://www.googleapis.com/auth/userinfo.email': ['email'] } },
    scope: 'https://www.googleapis.com/auth/userinfo.email openid',
    missing: ['https://www.googleapis.com/auth/drive.file'],
  },
  'GitHub normalizes scopes that another one includes, and separates by commas': {
    requested: ['user:email', 'user', 'repo', 'read:org'],
    rules: {
      separator: ',',
      implied: { user: ['user:email', 'read:user'], repo: ['repo:status'] },
    },
    scope: 'repo,user',
    missing: ['read:org'],
  },
  'Atlassian reports all but offline_access': {
    requested: ['read:jira-work', 'write:jira-work', 'offline_access'],
    rules: { unreported: ['offline_access'] },
    scope: 'read:jira-work',
    missing: ['write:jira-work'],
  },
  'Notion reports nothing': {
    requested: ['read_content'],
    rules: {},
    scope: undefined,
    missing: [],
  },
}

const readMissing = ({ requested, separator = ' ', rules, scope }: Shape): string[] => {
  const type = { grantedScopes: rules, scopeSeparator: separator }
  return listMissingScopes(createGrant(requested, scope, type))
}

describe('createGrant', () => {
  for (const [title, shape] of Object.entries(SHAPES))
    it(`knows what is missing: ${title}`, () => {
      assert.deepEqual(readMissing(shape), shape.missing)
    })

  it('needs the rules: a generic parser is wrong about these providers', () => {
    const wrong = Object.entries(SHAPES).filter(([, { requested, scope = '', missing }]) => {
      const granted = scope.split(' ')
      const found = requested.filter((name) => !granted.includes(name))
      return JSON.stringify(found) !== JSON.stringify(missing)
    })
    assert.equal(wrong.length, 8, wrong.map(([title]) => title).join('; '))
  })

  it('spells a requested scope as it was requested, then has those that were not', () => {
    const rules = { prefix: 'https://graph.microsoft.com/' }
    const requested = ['https://graph.microsoft.com/Mail.Read', 'b']
    const { granted, source } = createGrant(requested, ['more', 'mail.read'], {
      grantedScopes: rules,
    })
    assert.deepEqual(
      [granted, source],
      [['https://graph.microsoft.com/Mail.Read', 'more'], 'reported'],
    )
  })

  it('takes a scope that is a URL for its last part, unless a prefix is declared', () => {
    const requested = ['https://graph.example/Mail.Read']
    assert.deepEqual(createGrant(requested, ['Mail.Read']).granted, requested)
    const rules = { prefix: 'https://other.example/' }
    assert.deepEqual(createGrant(requested, ['Mail.Read'], { grantedScopes: rules }).granted, [
      'Mail.Read',
    ])
  })

  it('assumes what was requested if nothing is reported, and nothing of an empty report', () => {
    const assumed = createGrant(['a'], undefined)
    assert.deepEqual([assumed.granted, assumed.source], [['a'], 'assumed'])
    assert.deepEqual(createGrant(['a', 'openid'], []).granted, ['openid'])
  })

  it('takes what stands for other scopes as granted', () => {
    const requested = ['https://graph.example/.default', 'offline_access', 'a']
    assert.deepEqual(listMissingScopes(createGrant(requested, ['Mail.Read'])), ['a'])
  })

  it('ends with scopes that include each other', () => {
    const implied = { a: ['b'], b: ['a', 'c'] }
    assert.deepEqual(
      listMissingScopes(createGrant(['a', 'b', 'c', 'd'], ['a'], { grantedScopes: { implied } })),
      ['d'],
    )
  })

  it('stores 200 scopes at most', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `s${index}`)
    const { requested, granted } = createGrant(many, many.toReversed())
    assert.deepEqual([requested?.length, granted?.length], [200, 200])
  })
})

describe('getRequestedScopes', () => {
  const type = buildOAuthType('https://login.example.com', {
    default_scopes: ['read', 'write'],
    'x-required-scopes': ['read'],
  })
  const app: AppScopes = { scopes: ['admin', 'write'], scopesMode: 'add', optionalScopes: ['x'] }

  it('adds the scopes of the app to those of the spec, without duplicates', () => {
    assert.deepEqual(getRequestedScopes(type, app), ['read', 'write', 'admin'])
  })

  it('replaces all but what the integration requires', () => {
    const replacing = { ...app, scopesMode: 'replace' as const }
    assert.deepEqual(getRequestedScopes(type, replacing), ['admin', 'write', 'read'])
    assert.deepEqual(getRequestedScopes(type, { ...replacing, scopes: [] }), ['read'])
  })

  it('has what a link or session has chosen in place of both', () => {
    assert.deepEqual(getRequestedScopes(type, app, ['x']), ['x', 'read'])
    assert.deepEqual(listKnownScopes(type, app), ['read', 'write', 'admin', 'x'])
  })

  it('includes scopes in the parameters of older specs', () => {
    const older = buildOAuthType('https://login.example.com', {
      authorization_params: { scope: 'a,b' },
      scope_separator: ',',
      default_scopes: ['b'],
    })
    assert.deepEqual(getRequestedScopes(older, NO_SCOPES), ['b', 'a'])
  })
})

describe('planScopes', () => {
  const auth = { default_scopes: ['a', 'b'], 'x-required-scopes': ['a'] }
  const type = buildOAuthType('https://login.example.com', auth)
  const incremental = buildOAuthType('https://login.example.com', {
    ...auth,
    'x-incremental': true,
  })
  const app: AppScopes = { scopes: [], scopesMode: 'add', optionalScopes: ['c', 'd'] }
  const grant = {
    requested: ['a', 'b', 'c'],
    granted: ['a', 'c', 'old'],
    source: 'reported',
  } as const

  it('requests what an account has and what is new, but nothing that the app no longer has', () => {
    const plan = planScopes(type, app, ['d'], grant)
    assert.deepEqual(plan, { requestedScopes: ['a', 'b', 'c', 'd'], addedScopes: undefined })
  })

  it('requests only what is missing and required of a provider that adds it', () => {
    assert.deepEqual(planScopes(incremental, app, ['d'], grant).addedScopes, ['a', 'b', 'd'])
    const assumed = { ...grant, source: 'assumed' as const }
    assert.equal(planScopes(incremental, app, ['d'], assumed).addedScopes, undefined)
  })

  it('requests everything of such a provider if nothing is missing: its grant may have ended', () => {
    const whole = { ...grant, granted: ['a', 'b', 'c'] }
    const plan = { requestedScopes: ['a', 'b', 'c'], addedScopes: undefined }
    assert.deepEqual(planScopes(incremental, app, undefined, whole), plan)
  })

  it('requests the scopes of the app in addition, if it is unknown what an account has', () => {
    const unknown = { requested: null, granted: null, source: 'unknown' } as const
    assert.deepEqual(planScopes(type, app, ['d'], unknown).requestedScopes, ['a', 'b', 'd'])
    const granted = { ...unknown, granted: ['a', 'c'] }
    assert.deepEqual(planScopes(type, app, ['d'], granted).requestedScopes, ['a', 'c', 'd'])
  })
})
