import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lintEntry } from '@linchpin/kit/entry'
import {
  type Data,
  findControl,
  findMethod,
  KINDS,
  type Kind,
  needsHosts,
  readEntry,
  template,
  toData,
  writeEntry,
} from './own-api-values.ts'

const FOLDER = fileURLToPath(new URL('../../../../catalogue/entries/', import.meta.url))
const ENTRIES: readonly Data[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json') && !name.endsWith('.fixtures.json'))
  .map((name) => JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')))

const typeInto = (before: Data, kind: Kind, texts: Record<string, string>) => {
  const shown = readEntry(before)
  return writeEntry(before, { ...shown, kind, texts: { ...shown.texts, ...texts } })
}
const lint = (entry: Data) =>
  lintEntry(
    { runtime: 1, key: 'acme', name: 'Acme', category: 'OTHER', version: '1.0.0', ...entry },
    { isPrivate: true },
  )

/** The least that a person types, by kind. */
const SHORTEST: Readonly<Record<Kind, Record<string, string>>> = {
  oauth2: { authorize: 'https://acme.example/authorize', token: 'https://id.acme.example/token' },
  api_key: {},
  basic: {},
  client_credentials: { token: 'https://id.acme.example/token' },
  login: { loginUrl: 'https://id.acme.example/login' },
}

describe('The form of an entry', () => {
  it('changes nothing of an entry without a change, of all in the catalogue', () => {
    assert.ok(ENTRIES.length > 100)
    for (const entry of ENTRIES) {
      assert.deepEqual(writeEntry(entry, readEntry(entry)), entry, String(entry.key))
    }
  })

  it('changes what was changed and nothing else, of all entries with an address of the API', () => {
    for (const entry of ENTRIES) {
      if (typeof entry.base !== 'string' || toData(entry.identity).get !== undefined) continue
      const changed = typeInto(entry, readEntry(entry).kind, { identityId: 'data.id' })
      const identity = { ...toData(entry.identity), id: 'data.id' }
      assert.deepEqual(changed, { ...entry, identity }, String(entry.key))
    }
  })

  for (const kind of KINDS)
    it(`makes a valid entry of ${kind} with the least that can be typed, and reads it again`, () => {
      const base = 'https://api.acme.example/v1'
      const entry = typeInto({}, kind, { ...SHORTEST[kind], base, path: '/me' })
      assert.deepEqual(lint(entry), [], JSON.stringify(entry))
      assert.equal(findMethod(entry).kind, kind)
      const hosts = ['client_credentials', 'login', 'oauth2'].includes(kind)
      assert.deepEqual(entry.hosts, ['api.acme.example', ...(hosts ? ['id.acme.example'] : [])])
      assert.deepEqual(writeEntry(entry, readEntry(entry)), entry)
    })

  it('knows the kind of an entry that is not complete, and makes another kind of it', () => {
    for (const kind of KINDS) {
      const empty = typeInto({}, kind, {})
      assert.equal(findMethod(empty).kind, kind)
      const texts = { base: 'https://api.acme.example', path: '/me' }
      assert.deepEqual(lint(typeInto(empty, 'api_key', texts)), [])
    }
  })

  it('makes another kind of an entry, and keeps what both have', () => {
    const before = typeInto({}, 'oauth2', {
      ...SHORTEST.oauth2,
      base: 'https://api.acme.example',
      path: '/me',
      identityId: 'id',
      identityLabel: 'email, name',
    })
    for (const kind of KINDS) {
      const entry = typeInto(before, kind, SHORTEST[kind])
      assert.deepEqual(lint(entry), [], JSON.stringify(entry))
      assert.deepEqual(
        [entry.check, entry.identity],
        [{ get: '/me' }, { id: 'id', label: ['email', 'name'] }],
      )
    }
  })

  it('sends a key in a header with a prefix, in one without, or in the query', () => {
    const base = { base: 'https://api.acme.example', path: '/me' }
    for (const [texts, expected] of [
      [{}, { headers: { Authorization: `Bearer ${template('api_key')}` } }],
      [{ keyName: 'X-Api-Key', prefix: '' }, { headers: { 'X-Api-Key': template('api_key') } }],
      [
        { prefix: 'Token token=' },
        { headers: { Authorization: `Token token=${template('api_key')}` } },
      ],
      [{ placement: 'query', keyName: 'key', prefix: '' }, { query: { key: template('api_key') } }],
    ] as const) {
      const entry = typeInto({}, 'api_key', { ...base, ...texts })
      const { fields: _fields, ...sent } = findMethod(entry).auth
      assert.deepEqual(sent, expected)
      assert.deepEqual(lint(entry), [])
      assert.deepEqual(writeEntry(entry, readEntry(entry)), entry)
    }
  })

  it('asks the customer for what an address contains, and allows the hosts that it can have', () => {
    const base = `https://${template('subdomain')}.acme.example/api`
    const entry = typeInto({}, 'api_key', { base, path: '/me' })
    assert.deepEqual(lint(entry), [], JSON.stringify(entry))
    assert.deepEqual(entry.hosts, ['*.acme.example'])
    assert.deepEqual(Object.keys(toData(findMethod(entry).auth.fields)), ['api_key', 'subdomain'])
    const own = typeInto({}, 'api_key', { base: `${template('address')}/api`, path: '/me' })
    assert.deepEqual(lint(own), [], JSON.stringify(own))
    assert.equal(own.hosts, 'any')
  })

  it('needs the hosts of an address that comes with the sign-in', () => {
    const typed = {
      ...SHORTEST.oauth2,
      base: template('api_domain'),
      path: '/me',
      tokenResponse: 'api_domain',
    }
    assert.equal(needsHosts(typeInto({}, 'oauth2', typed)), true)
    const entry = typeInto({}, 'oauth2', { ...typed, hosts: '*.acme.example' })
    assert.deepEqual([lint(entry), entry.hosts], [[], ['*.acme.example']])
  })

  it('follows the addresses with the hosts, unless someone has chosen others', () => {
    const entry = typeInto({}, 'api_key', { base: 'https://api.acme.example', path: '/me' })
    assert.deepEqual(typeInto(entry, 'api_key', { base: 'https://eu.acme.example' }).hosts, [
      'eu.acme.example',
    ])
    const chosen = { ...entry, hosts: ['*.acme.example'] }
    assert.deepEqual(typeInto(chosen, 'api_key', { base: 'https://eu.acme.example' }).hosts, [
      '*.acme.example',
    ])
  })

  it('renames a field and what is sent, and keeps what the form does not show of it', () => {
    const before = typeInto({}, 'api_key', { base: 'https://api.acme.example', path: '/me' })
    const fields = toData(findMethod(before).auth.fields)
    Object.assign(toData(fields.api_key), { minLength: 20, placeholder: 'ak_…' })
    const shown = readEntry(before)
    const [row] = shown.rows
    assert.ok(row)
    const rows = [
      { ...row, name: 'token', title: 'Token', help: 'In your profile.' },
      { was: '', name: '', title: 'Team name', type: 'text', help: '' } as const,
      { was: '', name: '', title: '', type: 'text', help: '' } as const,
    ]
    const { auth } = findMethod(writeEntry(before, { ...shown, rows }))
    assert.deepEqual(auth, {
      headers: { Authorization: `Bearer ${template('token')}` },
      fields: {
        token: {
          title: 'Token',
          secret: true,
          help: 'In your profile.',
          minLength: 20,
          placeholder: 'ak_…',
        },
        team_name: { title: 'Team name' },
      },
    })
  })

  it('knows which field of the form a path of the entry belongs to', () => {
    const key = typeInto({}, 'api_key', { base: 'https://api.acme.example', path: '/me' })
    const oauth = typeInto({}, 'oauth2', { ...SHORTEST.oauth2, base: 'https://a.example' })
    for (const [entry, path, expected] of [
      [key, 'base', 'base'],
      [key, 'hosts.0', 'hosts'],
      [key, 'check', 'path'],
      [key, 'check.get', 'path'],
      [key, 'check.query', 'query'],
      [key, 'identity.id', 'identityId'],
      [key, 'auth.Api Key.headers', 'keyName'],
      [key, 'auth.Api Key.fields.api_key.pattern', 'field-0-title'],
      [key, 'auth.Api Key', undefined],
      [oauth, 'auth.OAuth2.token', 'token'],
      [oauth, 'auth.OAuth2.scopes.default', 'scopes'],
      [oauth, 'auth.OAuth2.refreshErrors', undefined],
    ] as const)
      assert.equal(findControl(entry, path), expected, path)
  })
})
