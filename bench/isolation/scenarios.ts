import type { Mode } from './bundles.ts'
import type { LoadRequest, RequestStream } from './load-types.ts'
import { createCredentials, type Tenant } from './tenants.ts'

/** Requests of the measured tenant per second, by operation. */
const RATES = { check: 5, credentials: 5, proxy: 5, read: 10 }
/** The hostile tenant sends this multiple. */
const ATTACK_FACTOR = 20

/** The attack of a hostile tenant. */
export interface Scenario {
  readonly name: string
  streams(hostile: Tenant): RequestStream[]
}

/** The measured tenant: all four operations, at a steady rate. */
export function createQuietStreams(quiet: Tenant): RequestStream[] {
  const account = `/api/v1/integration_account/${quiet.accounts.ok}`
  return [
    { name: 'check', perSecond: RATES.check, requests: [check(quiet, 0, 'ok', true)] },
    {
      name: 'credentials',
      perSecond: RATES.credentials,
      requests: [get(`${account}/credentials`)],
    },
    { name: 'proxy', perSecond: RATES.proxy, requests: [get(`${account}/proxy/me`)] },
    {
      name: 'read',
      perSecond: RATES.read,
      requests: [get(account), get('/api/v1/integration_account?limit=20')],
    },
  ]
}

/** Each attack alone, then several concurrently. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'hanging', streams: (hostile) => [checks(hostile, ['hang'])] },
  {
    name: '32 callers of a hanging provider',
    streams: (hostile) => [{ name: 'check', callers: 32, requests: [check(hostile, 0, 'hang')] }],
  },
  { name: 'spinning', streams: (hostile) => [checks(hostile, ['spin'])] },
  {
    name: 'ten spinning bundles',
    streams: (hostile) => [
      {
        name: 'check',
        perSecond: RATES.check * ATTACK_FACTOR,
        requests: hostile.definitionIds.map((_, index) => check(hostile, index, 'spin')),
      },
    ],
  },
  { name: 'memory-hungry', streams: (hostile) => [checks(hostile, ['fill', 'hold'])] },
  { name: 'flooding from bundles', streams: (hostile) => [checks(hostile, ['flood'])] },
  {
    name: 'flooding the proxy',
    streams: (hostile) => [createProxyStream(hostile, ['ok'], '/large')],
  },
  { name: 'hanging proxy', streams: (hostile) => [createProxyStream(hostile, ['ok'], '/hang')] },
  {
    name: 'hostile HEADERS',
    streams: (hostile) => [createProxyStream(hostile, ['hang', 'spin', 'fill'], '/me')],
  },
  { name: 'flooding the API', streams: (hostile) => [reads(hostile)] },
  { name: 'flooding with writes', streams: () => [writes()] },
  { name: 'flooding with sign-ins', streams: (hostile) => [signIns(hostile, 'OAuth2')] },
  { name: 'hanging sign-ins', streams: (hostile) => [signIns(hostile, 'Hanging OAuth2')] },
  {
    name: 'mixed',
    streams: (hostile) => [
      checks(hostile, ['hang', 'spin', 'fill', 'hold', 'flood']),
      createProxyStream(hostile, ['ok', 'hang', 'spin'], '/large'),
      { ...createProxyStream(hostile, ['ok'], '/hang'), name: 'hanging proxy' },
      reads(hostile),
    ],
  },
]

function checks(hostile: Tenant, modes: readonly Mode[]): RequestStream {
  const requests = modes.map((mode) => check(hostile, 0, mode))
  return { name: 'check', perSecond: RATES.check * ATTACK_FACTOR, requests }
}

function createProxyStream(hostile: Tenant, headers: readonly Mode[], path: string): RequestStream {
  const requests = headers.map((mode) =>
    get(`/api/v1/integration_account/${hostile.accounts[mode]}/proxy${path}`),
  )
  return { name: 'proxy', perSecond: RATES.proxy * ATTACK_FACTOR, requests }
}

function reads({ accounts }: Tenant): RequestStream {
  const account = `/api/v1/integration_account/${accounts.ok}`
  return {
    name: 'read',
    perSecond: (RATES.read + RATES.credentials) * ATTACK_FACTOR,
    requests: [
      get(account),
      get('/api/v1/integration_account?limit=100'),
      get(`${account}/credentials`),
    ],
  }
}

function writes(): RequestStream {
  const body = JSON.stringify({ linkName: 'Isolation', expiresIn: 86_400, canExpire: true })
  const create = { method: 'POST', path: '/api/v1/link', body } as const
  return { name: 'write', perSecond: RATES.read * ATTACK_FACTOR, requests: [create] }
}

function signIns({ definitionIds }: Tenant, authType: string): RequestStream {
  const body = JSON.stringify({
    integrationDefinitionId: definitionIds[0],
    authType,
    integrationAccountName: 'Isolation',
    confirm: false,
  })
  const start = { method: 'POST', path: '/api/v1/oauth', body } as const
  return { name: 'sign-in', perSecond: RATES.read * ATTACK_FACTOR, requests: [start] }
}

function check(tenant: Tenant, definition: number, mode: Mode, mustPass = false): LoadRequest {
  const body = JSON.stringify(createCredentials(tenant, definition, { check: mode }))
  const path = '/api/v1/integration_account/check'
  return { method: 'POST', path, body, ...(mustPass ? { contains: '"status":true' } : {}) }
}

function get(path: string): LoadRequest {
  return { method: 'GET', path }
}
