import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Entry } from '@linchpin/kit/build'
import type { AnyBody } from '../any-body.ts'
import { expectCreated } from '../test-context.ts'
import { type LifeCycleContext, listCases, runLifeCycle, startLifeCycles } from './life-cycle.ts'

/** Each has something that the others have not: rotation, facts, a refresh URL, PKCE, JSON, Basic, hosts that differ, code, exchanges, other names, two sign-ins. */
const SAMPLE = [
  'airtable',
  'close',
  'ebay',
  'figma',
  'freshdesk',
  'google_calendar',
  'instagram',
  'jira',
  'lever',
  'linear',
  'mailchimp',
  'quickbooks',
  'slack',
  'stripe',
  'tiktok',
  'tiktok_ads',
  'zoom',
]

/** Where an entry has the value of a field. */
const placeholder = (name: string) => `\${${name}}`

type Mistake = readonly [key: string, authType: string, path: string, value: unknown, fails: RegExp]

/** One hand's mistakes: what is changed in an entry, and where that is noticed. */
const MISTAKES: readonly Mistake[] = [
  [
    'close',
    'OAuth2',
    'auth.OAuth2.token',
    'https://api.close.com/oauth/token/',
    /token_exchange_failed/,
  ],
  [
    'close',
    'OAuth2',
    'auth.OAuth2.authorize',
    'https://app.close.com/oauth/authorize/',
    /421 !== 302|401 !== 302/,
  ],
  ['close', 'OAuth2', 'check.get', '/user/', /credentials_rejected/],
  ['close', 'OAuth2', 'identity.id', 'organizations.0.id', /orga_1/],
  ['close', 'Api Key', 'auth.Api Key.basic', `x:${placeholder('api_key')}`, /didn't accept/],
  ['figma', 'OAuth2', 'auth.OAuth2.refreshUrl', undefined, /refused to refresh/],
  ['figma', 'OAuth2', 'auth.OAuth2.client', 'body', /token_exchange_failed/],
  ['slack', 'OAuth2', 'auth.OAuth2.scopes.separator', ' ', /credentials_rejected/],
  ['airtable', 'OAuth2', 'auth.OAuth2.pkce', false, /code_challenge is missing/],
  [
    'google_calendar',
    'OAuth2',
    'auth.OAuth2.authorizeParams.access_type',
    undefined,
    /no access_type=offline/,
  ],
  [
    'google_calendar',
    'OAuth2',
    'auth.OAuth2.revoke',
    'https://oauth2.googleapis.com/revocation',
    /the grant is revoked/,
  ],
  ['mailchimp', 'OAuth2', 'auth.OAuth2.after.0.value', 'accountname', /value: 'Acme'/],
  ['linear', 'OAuth2', 'auth.OAuth2.body', 'json', /token_exchange_failed/],
  ['stripe', 'Api Key', 'base', 'https://api.stripe.com/v2', /didn't accept|404/],
  ['gohighlevel', 'OAuth2', 'auth.OAuth2.tokenParams', undefined, /token_exchange_failed/],
  ['tiktok', 'OAuth2', 'auth.OAuth2.paramNames', undefined, /client_key is missing/],
  ['instagram', 'OAuth2', 'auth.OAuth2.renew.first', undefined, /token_exchange_failed/],
  ['meta_ads', 'OAuth2', 'auth.OAuth2.renew', undefined, /exchanged before it expires/],
]

describe('An integration on the emulator', async () => {
  const cases = await listCases()
  let t: LifeCycleContext
  before(async () => {
    t = await startLifeCycles()
  })
  after(() => t.close())

  for (const one of cases.filter(({ key }) => SAMPLE.includes(key)))
    it(`${one.key}, ${one.authType}: is connected, used, refreshed or revoked, reconnected and deleted`, () =>
      runLifeCycle(t, one))

  for (const [key, authType, path, value, fails] of MISTAKES)
    it(`${key}, ${authType}: fails when ${path} is ${value}`, async () => {
      const one = cases.find((each) => each.key === key && each.authType === authType)
      assert.ok(one)
      const { entry } = t.catalogue.entries.find((each) => each.key === key)?.versions[0] ?? {}
      assert.ok(entry)
      const unchanged = await define(t, entry)
      await runLifeCycle(t, { ...one, definitionId: unchanged })
      const mistaken = await define(t, change(entry, path.split('.'), value))
      const reason = await runLifeCycle(t, { ...one, definitionId: mistaken }).then(
        () => assert.fail('the life cycle is complete'),
        (error: Error) => error.message,
      )
      assert.match(reason, fails)
    })
})

/** Creates a definition of the workspace from an entry. */
async function define(t: LifeCycleContext, entry: Entry): Promise<string> {
  const { $schema, key, name, aliases, icon, category, version, docs, register, ...rest } = entry
  const body = {
    name: `${name} ${crypto.randomUUID()}`,
    integrationType: category,
    entry: rest,
  }
  const created = expectCreated(await t.call('POST', '/v1/integration_definition', { body }))
  return String(created.integrationDefinitionId)
}

function change<T>(value: T, [name = '', ...rest]: readonly string[], to: unknown): T {
  const copy: AnyBody = Array.isArray(value) ? [...value] : { ...value }
  if (rest.length > 0) copy[name] = change(copy[name] ?? {}, rest, to)
  else if (to === undefined) delete copy[name]
  else copy[name] = to
  return copy as T
}
