import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Entry } from '@linchpin/kit/build'
import { checkEvidence, looksLikeSecret } from './check-evidence.ts'
import type { EvidenceRow, EvidenceSource } from './evidence.ts'
import { mergeRows } from './evidence-files.ts'
import { listFacts } from './list-facts.ts'

const ENTRY: Entry = {
  runtime: 1,
  key: 'desk',
  name: 'Desk',
  category: 'SUPPORT',
  version: '1.0.0',
  docs: 'https://desk.example/docs',
  hosts: ['*.desk.example', 'login.desk.example'],
  base: 'https://${subdomain}.desk.example/api/v2',
  fields: { subdomain: { title: 'Subdomain', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' } },
  auth: {
    OAuth2: {
      authorize: 'https://login.desk.example/oauth/authorize',
      token: 'https://login.desk.example/oauth/token',
      scopes: { default: ['users:read'], separator: ',' },
      authorizeParams: { access_type: 'offline' },
      pkce: false,
    },
    'Api Key': {
      headers: { Authorization: 'Token ${api_key}' },
      fields: { api_key: { title: 'API key', secret: true, pattern: '^dk_[a-z0-9]{8}$' } },
    },
  },
  check: {
    get: '/me',
    errors: [{ match: { 'error.type': 'token_expired' }, code: 'invalid_credentials' }],
  },
  identity: { id: 'user.id', label: ['user.email'] },
}

/** What the provider says, by the path of the fact. */
const FOUND: Readonly<Record<string, string>> = {
  docs: 'https://desk.example/docs',
  base: 'https://acme.desk.example/api/v2/',
  'auth.OAuth2.authorize': 'https://login.desk.example/oauth/authorize?client_id=…',
  'auth.OAuth2.token': 'POST https://login.desk.example/oauth/token'.slice('POST '.length),
  'auth.OAuth2.scopes.default.0': 'users:read tickets:read',
  'auth.OAuth2.scopes.separator': 'scope=users:read,tickets:read',
  'auth.OAuth2.authorizeParams.access_type': 'access_type=offline',
  'auth.OAuth2.pkce': 'client_secret is required',
  'auth.Api Key.headers.Authorization': 'Authorization: Token dk_…',
  'auth.Api Key.fields.api_key.pattern': 'dk_1a2b3c4d',
  'check.get': 'GET /api/v2/me',
  'check.errors.0': '"type": "token_expired"',
  'identity.id': '"id": 41',
  'identity.label.0': 'email',
}

const source = (found: string, more: Partial<EvidenceSource> = {}): EvidenceSource => ({
  url: 'https://desk.example/docs',
  kind: 'provider',
  seen: '2026-11-27',
  found,
  ...more,
})
const proven = () =>
  mergeRows(ENTRY, [], ({ path }) => ({ sources: [source(FOUND[path] ?? '')] })) as EvidenceRow[]
/** The evidence with other sources of the token URL. */
const withSources = (...sources: readonly EvidenceSource[]) =>
  proven().map((row) => (row.path === 'auth.OAuth2.token' ? { ...row, sources } : row))
const TOKEN = 'login.desk.example/oauth/token'
const library = (repo: string, found = TOKEN) =>
  source(found, { kind: 'library', repo, url: `https://github.com/${repo}` })

describe('checkEvidence', () => {
  it('accepts an entry whose every fact is in a document of the provider', () => {
    assert.deepEqual(
      Object.keys(FOUND),
      listFacts(ENTRY).map(({ path }) => path),
    )
    assert.deepEqual(checkEvidence(ENTRY, proven()), [])
  })

  it('asks for evidence of each fact that has none', () => {
    for (const path of Object.keys(FOUND))
      assert.deepEqual(
        checkEvidence(
          ENTRY,
          proven().filter((row) => row.path !== path),
        ),
        [`${path}: has no evidence.`],
      )
  })

  it('accepts two independent sources; one maker and its forks count once', () => {
    assert.deepEqual(checkEvidence(ENTRY, withSources(library('one/a'), library('two/b'))), [])
    for (const rows of [
      withSources(library('one/a')),
      withSources(library('one/a'), library('one/b')),
      withSources(library('one/a'), library('fork/a')),
    ])
      assert.match(checkEvidence(ENTRY, rows).join(), /^auth\.OAuth2\.token: neither the provider/)
  })

  it('refuses a source that says something else, unless a note says why the entry is right', () => {
    const rows = withSources(source(TOKEN), library('one/a', 'old.desk.example/token'))
    assert.deepEqual(checkEvidence(ENTRY, rows), [
      'auth.OAuth2.token: sources disagree. Say in "note" why the entry is right.',
    ])
    assert.deepEqual(
      checkEvidence(
        ENTRY,
        rows.map((row) => ({ ...row, note: 'The old host ends.' })),
      ),
      [],
    )
  })

  it('refuses a row about nothing, a sentence, a program, a secret, and what is too long', () => {
    const extra = { path: 'auth.OAuth2.par', value: 'https://desk.example/par', sources: [] }
    assert.match(checkEvidence(ENTRY, [...proven(), extra]).join(), /auth\.OAuth2\.par: is no fact/)
    for (const found of [
      `${TOKEN} is where an app sends the code. It answers with a token.`,
      `fetch(${TOKEN}); return`,
      `${TOKEN}?key=0123456789abcdef0123456789abcdef`,
      `${TOKEN}?${'a'.repeat(120)}`,
    ])
      assert.match(checkEvidence(ENTRY, withSources(source(found))).join(), /"found" /, found)
  })
})

describe('looksLikeSecret', () => {
  it('knows tokens, and lets URLs and names pass', () => {
    for (const secret of ['ghp_0123456789abcdefghij', 'xoxb-12345678', `key=${'a1'.repeat(16)}`])
      assert.ok(looksLikeSecret(secret), secret)
    for (const name of Object.values(FOUND)) assert.ok(!looksLikeSecret(name), name)
  })
})
