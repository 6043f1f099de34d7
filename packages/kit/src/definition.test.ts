import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  apiKey,
  basic,
  bearer,
  clientCredentials,
  defineIntegration,
  none,
  number,
  oauth2,
  secret,
  select,
  text,
  twoStepLogin,
} from './index.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if the type is exactly the expected one. */
function isType<Wanted>() {
  return <Given>(_value: Given, _same: Same<Given, Wanted>) => {}
}

const base = {
  key: 'typed',
  name: 'Typed',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://example.com/docs',
  hosts: ['example.com'],
} as const

it('defineIntegration: the fields of a definition have their types in config', async () => {
  let received: unknown
  const main = defineIntegration({
    ...base,
    inputs: {
      region: select('Region', ['us', 'eu']),
      page_size: number('Page size', { default: 20 }),
      note: text('Note', { optional: true }),
    },
    auth: {
      Key: none({ fields: { api_key: secret('Key') } }),
      OAuth2: oauth2({
        authorizationUrl: 'https://example.com/authorize',
        tokenUrl: 'https://example.com/token',
        tokenResponseParams: ['instance_url'],
      }),
    },
    async check({ config, authType }) {
      received = config
      isType<'us' | 'eu'>()(config.region, true)
      isType<number>()(config.page_size, true)
      isType<string | undefined>()(config.note, true)
      isType<'Key' | 'OAuth2'>()(authType, true)
      // @ts-expect-error not declared
      config.nothing
      // @ts-expect-error only one of the auth types has it
      config.api_key
      if (config.authType === 'Key') {
        isType<string>()(config.api_key, true)
        // @ts-expect-error API keys have no sign-in
        config.access_token
      } else {
        isType<string>()(config.access_token, true)
        isType<string | undefined>()(config.refresh_token, true)
        isType<string>()(config.instance_url, true)
      }
      return config.region === 'eu'
    },
    async identity({ config }) {
      // @ts-expect-error the id of an identity is a string
      const wrong: { id: number } = { id: config.region }
      return { id: wrong.id as unknown as string, label: config.region }
    },
    headers: (config) => ({ 'X-Region': config.region }),
  })
  const config = { authType: 'Key', api_key: 'k', region: 'eu' }
  assert.deepEqual(await main('CHECK', { config }), { status: true, error: '' })
  assert.deepEqual(
    received,
    { ...config, page_size: 20 },
    'defineIntegration: a default replaces a missing value',
  )
})

it('defineIntegration: rules can point to existing fields only', () => {
  const login = { url: 'https://example.com/login' }
  const auth = { Login: twoStepLogin({ fields: { pin: secret('PIN') }, login }) }
  const inputs = { site: text('Site') }
  defineIntegration({
    ...base,
    inputs,
    auth,
    check: { path: '/', errors: [{ field: 'pin' }, { field: 'site' }] },
  })
  const { definition } = defineIntegration({
    ...base,
    auth,
    // @ts-expect-error there is no field with this name
    check: { path: '/', errors: [{ field: 'pni' }] },
  })
  assert.equal(definition.key, 'typed')
})

it('defineIntegration: code can reject existing fields only', async () => {
  const auth = { Key: apiKey({ name: 'X-Key' }) }
  const inputs = { site: text('Site') }
  const main = defineIntegration({
    ...base,
    inputs,
    auth,
    async check({ checkResponse, refuse }) {
      const answer = new Response('', { status: 401 })
      await checkResponse(answer, { errors: [{ field: 'site' }] })
      // @ts-expect-error there is no field with this name
      await checkResponse(answer, { errors: [{ field: 'sight' }] })
      // @ts-expect-error there is no field with this name
      refuse('wrong_host', { field: 'sight' })
      // @ts-expect-error there is no such code
      refuse('wrong_address')
      return refuse('wrong_host', { field: 'site' })
    },
  })
  const { field } = (await main('CHECK', { config: { authType: 'Key' } })) as { field: string }
  assert.equal(field, 'site')
  defineIntegration({
    ...base,
    auth,
    // @ts-expect-error there is no field with this name
    check: async () => ({ status: false, error: 'No.', field: 'api_kee' }),
  })
})

it('defineIntegration: values from sign-in are typed by name', () => {
  const urls = { authorizationUrl: 'https://example.com/a', tokenUrl: 'https://example.com/t' }
  defineIntegration({
    ...base,
    auth: {
      OAuth2: oauth2({ ...urls, tokenResponseParams: ['team.id'], callbackParams: ['realmId'] }),
    },
    async check({ config }) {
      isType<string>()(config.realmId, true)
      isType<string>()(config['team.id'], true)
      // @ts-expect-error sign-in does not return it
      config.realm
      return true
    },
  })
})

it('defineIntegration: categories and field options are typed', () => {
  const auth = { None: none() }
  const check = { path: '/' }
  // @ts-expect-error no such category
  const invalidDefinition = defineIntegration({ ...base, category: 'TICKETS', auth, check })
  // @ts-expect-error a default must be in the list
  select('Region', ['us', 'eu'], { default: 'asia' })
  // @ts-expect-error the default of a number is not a string
  number('Size', { default: 'large' })
  assert.equal(invalidDefinition.definition.category, 'TICKETS')
})

it('defineIntegration: the fields of an authentication method are typed', () => {
  const login = { url: 'https://example.com/login' }
  defineIntegration({
    ...base,
    auth: {
      Bearer: bearer(),
      Basic: basic(),
      Key: apiKey({ name: 'X-Key' }),
      Client: clientCredentials({ tokenUrl: 'https://example.com/token' }),
      Login: twoStepLogin({ fields: { pin: secret('PIN', { optional: true }) }, login }),
    },
    async check({ config }) {
      if (config.authType === 'Bearer' || config.authType === 'Key')
        isType<string>()(config.api_key, true)
      else if (config.authType === 'Basic') isType<string>()(config.username, true)
      else if (config.authType === 'Client') isType<string>()(config.client_secret, true)
      else isType<string | undefined>()(config.pin, true)
      return true
    },
  })
})
