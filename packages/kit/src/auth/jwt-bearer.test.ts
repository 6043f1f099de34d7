import assert from 'node:assert/strict'
import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomInt,
  verify,
} from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from '../build/build.ts'
import { defineIntegration, jwtBearer, secret, text, url } from '../index.ts'
import { lint } from '../lint/lint.ts'
import type { CheckResult } from '../spec/check-rules.ts'
import { type LocalServer, startLocalServer } from '../test/local-server.ts'
import { reply } from '../test/reply.ts'
import { startTestSandbox, type TestSandbox } from '../test/test-sandbox.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const toPem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8') =>
  String(key.export({ type: type as 'pkcs8', format: 'pem' }))

/** The parts of a JWT whose signature is right. @throws AssertionError if it is not */
function verifyJwt(jwt: string, key: KeyObject) {
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { alg, ...others } = parse(header)
  const options = {
    RS256: { padding: constants.RSA_PKCS1_PADDING },
    PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
    ES256: { dsaEncoding: 'ieee-p1363' as const },
  }[alg as 'RS256']
  const input = Buffer.from(`${header}.${claims}`)
  const verifying = { key: createPublicKey(key), ...options }
  assert.ok(verify('sha256', input, verifying, Buffer.from(signature, 'base64url')), 'signature')
  assert.doesNotMatch(jwt, /[^\w.-]/)
  return { alg, header: others, claims: parse(claims) }
}

const ACME = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: 'any',
  apiBaseUrl: '${base_url}',
  inputs: { base_url: url('Address') },
  check: { path: '/me' },
} as const

interface Received {
  readonly path: string
  readonly authorization: string
  readonly body: string
}

describe('jwtBearer', () => {
  let server: LocalServer
  let received: Received[] = []
  before(async () => {
    server = await startLocalServer(async (request, response) => {
      const { url: path = '', headers } = request
      const authorization = headers.authorization ?? ''
      received.push({ path, authorization, body: await readAll(request) })
      response.end(JSON.stringify({ access_token: 'issued', data: { token: 'installed' } }))
    })
  })
  after(() => server.close())
  beforeEach(() => {
    received = []
  })

  const claims = { iss: '${client_id}', sub: '${user}', aud: ['https://acme.test'], admin: true }
  const fields = { client_id: text('Client ID'), user: text('User', { optional: true }) }
  const header = { kid: '${client_id}' }
  const main = defineIntegration({
    ...ACME,
    auth: {
      RS256: jwtBearer({ claims, header, fields, tokenUrl: '${base_url}/token', lifetime: 3_600 }),
      PS256: jwtBearer({ algorithm: 'PS256', claims, header, fields }),
      ES256: jwtBearer({ algorithm: 'ES256', claims, header, fields }),
      App: jwtBearer({
        claims: { iss: '${client_id}', jti: '${jti}' },
        fields: { ...fields, installation: text('Installation') },
        exchange: {
          url: '${base_url}/installations/${installation}/tokens',
          headers: { Authorization: 'Bearer ${jwt}' },
        },
        token: 'data.token',
        headers: { Authorization: 'token ${token}' },
      }),
      File: jwtBearer({
        keyFile: ['client_email', 'private_key_id'],
        claims: { iss: '${client_email}' },
        header: { kid: '${private_key_id}' },
      }),
    },
  })
  const run = (command: string, config: Record<string, unknown>) =>
    main(command, { config: { base_url: server.origin, client_id: 'c1', ...config } })
  const getHeaders = async (config: Record<string, unknown>) => {
    const { Authorization = '' } = (await run('HEADERS', config)) as Record<string, string>
    return Authorization.replace(/^Bearer /, '')
  }

  it('exchanges a signed assertion at the token endpoint, and sends the token', async () => {
    const config = { authType: 'RS256', private_key: toPem(rsa), user: 'ann@acme.test' }
    const now = Math.floor(Date.now() / 1_000)
    assert.deepEqual(await run('CHECK', config), { status: true, error: '' })
    const [login, check] = received
    const form = new URLSearchParams(login?.body)
    assert.deepEqual(
      [login?.path, form.get('grant_type'), [...form.keys()], check?.path, check?.authorization],
      [
        '/token',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        ['grant_type', 'assertion'],
        '/me',
        'Bearer issued',
      ],
    )
    const jwt = verifyJwt(form.get('assertion') ?? '', rsa)
    const { iat, exp, ...others } = jwt.claims
    assert.deepEqual([jwt.alg, jwt.header], ['RS256', { typ: 'JWT', kid: 'c1' }])
    assert.deepEqual(others, {
      iss: 'c1',
      sub: 'ann@acme.test',
      aud: ['https://acme.test'],
      admin: true,
    })
    assert.ok(iat >= now - 60 && iat <= now - 58, `${iat} is a minute before ${now}`)
    assert.equal(exp - iat, 3_600)
  })

  it('sends the JWT itself without an exchange, with every algorithm, and without an empty claim', async () => {
    for (const [authType, key] of [
      ['PS256', rsa],
      ['ES256', ec],
    ] as const) {
      const jwt = verifyJwt(await getHeaders({ authType, private_key: toPem(key) }), key)
      const { iat, exp, ...others } = jwt.claims
      assert.deepEqual([jwt.alg, exp - iat], [authType, 600])
      assert.deepEqual(others, { iss: 'c1', aud: ['https://acme.test'], admin: true })
    }
    assert.deepEqual(received, [])
  })

  it('exchanges the JWT by another request, with a different jti each time', async () => {
    const config = { authType: 'App', private_key: toPem(rsa, 'pkcs1'), installation: 'a/b 1' }
    const used = new Set<string>()
    for (const _ of [1, 2]) {
      assert.equal(await getHeaders(config), 'token installed')
      const { path, authorization } = received.at(-1) ?? { path: '', authorization: '' }
      assert.equal(path, '/installations/a%2Fb%201/tokens')
      used.add(verifyJwt(authorization.replace('Bearer ', ''), rsa).claims.jti)
    }
    assert.equal(used.size, 2)
  })

  it('reads keys in every format, and however their line breaks were pasted', async () => {
    const parameters =
      '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n'
    const pems: [string, string, KeyObject][] = [
      ['PS256', toPem(rsa), rsa],
      ['PS256', toPem(rsa, 'pkcs1'), rsa],
      ['ES256', toPem(ec), ec],
      ['ES256', toPem(ec, 'sec1'), ec],
      ['ES256', parameters + toPem(ec, 'sec1'), ec],
    ]
    const pasted = [
      (pem: string) => pem,
      (pem: string) => pem.replaceAll('\n', '\\n'),
      (pem: string) => pem.replaceAll('\n', '\r\n'),
      (pem: string) => pem.replaceAll('\n', '\\r\\n'),
      (pem: string) => pem.replaceAll('\n', ''),
      (pem: string) => `  "${pem.replaceAll('\n', ' ')}"`,
      (pem: string) => JSON.stringify({ private_key: pem }),
    ]
    for (const [authType, pem, key] of pems)
      for (const paste of pasted)
        verifyJwt(await getHeaders({ authType, private_key: paste(pem) }), key)
  })

  it('reads a key file, whose members are values of templates', async () => {
    const file = { client_email: 'a@b.test', private_key_id: 'k7', private_key: toPem(rsa) }
    for (const text of [JSON.stringify(file), JSON.stringify(file, null, 2)]) {
      const { header, claims } = verifyJwt(
        await getHeaders({ authType: 'File', key_file: text }),
        rsa,
      )
      assert.deepEqual([header.kid, claims.iss], ['k7', 'a@b.test'])
    }
  })

  const other = generateKeyPairSync('ed25519').privateKey
  const encrypt = (type: 'pkcs8' | 'pkcs1') =>
    String(
      rsa.export({ type: type as 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' }),
    )
  const wrongKeys: [authType: string, key: string, error: string][] = [
    ['RS256', encrypt('pkcs8'), 'The private key is encrypted.'],
    ['RS256', encrypt('pkcs1'), 'The private key is encrypted.'],
    [
      'RS256',
      String(createPublicKey(rsa).export({ type: 'spki', format: 'pem' })),
      'This is a public key.',
    ],
    [
      'RS256',
      String(createPublicKey(rsa).export({ type: 'pkcs1', format: 'pem' })),
      'This is a public key.',
    ],
    [
      'RS256',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'This is a certificate.',
    ],
    [
      'RS256',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----',
      'The private key has the format of OpenSSH.',
    ],
    ['RS256', toPem(ec), 'This is an EC key, but RS256 needs an RSA key.'],
    ['PS256', toPem(ec, 'sec1'), 'This is an EC key, but PS256 needs an RSA key.'],
    ['ES256', toPem(rsa), 'This is an RSA key, but ES256 needs an EC key.'],
    ['ES256', toPem(rsa, 'pkcs1'), 'This is an RSA key, but ES256 needs an EC key.'],
    ['ES256', toPem(other), 'This is another kind of key, but ES256 needs an EC key.'],
    [
      'ES256',
      toPem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey),
      'The private key is damaged, or not on the curve P-256.',
    ],
    [
      'ES256',
      toPem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey, 'sec1'),
      'The private key is damaged, or not on the curve P-256.',
    ],
    [
      'RS256',
      toPem(rsa).replace(/(\n.{64}\n.{64})\n.{64}\n/, '$1\n'),
      'The private key is damaged.',
    ],
    ['RS256', toPem(rsa, 'pkcs1').replace(/.+\n(?=-----END)/, ''), 'The private key is damaged.'],
    ['RS256', toPem(rsa).replace('MII', '%%%'), 'The private key is damaged.'],
    ['RS256', toPem(rsa).slice(0, 900), 'This is not a private key.'],
    ['RS256', 'sesame', 'This is not a private key.'],
    ['RS256', '-----BEGIN X-----\n-----END X-----', 'This is not a private key.'],
    ['RS256', '', 'This is not a private key.'],
    ['File', toPem(rsa), 'This is not a key file in JSON.'],
    ['File', '[1]', 'This is not a key file in JSON.'],
    ['File', 'null', 'This is not a key file in JSON.'],
    ['File', '{"client_email":"a"}', 'The key file has no "private_key".'],
    ['File', '{"private_key":7}', 'The key file has no "private_key".'],
    ['File', JSON.stringify({ private_key: toPem(rsa) }), 'The key file has no "client_email".'],
    [
      'File',
      JSON.stringify({ private_key: toPem(ec), client_email: 'a', private_key_id: 'b' }),
      'This is an EC key, but RS256 needs an RSA key.',
    ],
  ]
  for (const [at, [authType, key, error]] of wrongKeys.entries())
    it(`says what is wrong with a key, and sends nothing: ${at}, ${error}`, async () => {
      const field = authType === 'File' ? 'key_file' : 'private_key'
      const result = (await run('CHECK', { authType, [field]: key })) as CheckResult
      const { hint = '', ...verdict } = result
      assert.deepEqual(verdict, { status: false, error, code: 'invalid_credentials', field })
      assert.ok(hint.length > 20, hint)
      assert.deepEqual(received, [])
      const body = /-----[^-]+-----([^-]{40,})/.exec(key)?.[1]?.trim()
      assert.ok(body === undefined || !JSON.stringify(result).includes(body.slice(0, 20)))
    })

  it('refuses an RSA key that is too long', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 })
    verifyJwt(await getHeaders({ authType: 'PS256', private_key: toPem(privateKey) }), privateKey)
    const der = Buffer.concat([
      privateKey.export({ type: 'pkcs1', format: 'der' }),
      Buffer.alloc(1_000),
    ])
    const long = `-----BEGIN RSA PRIVATE KEY-----${der.toString('base64')}-----END RSA PRIVATE KEY-----`
    const { error } = (await run('CHECK', { authType: 'RS256', private_key: long })) as CheckResult
    assert.equal(error, 'The private key is too long.')
  })

  it('never fills the key into a claim', async () => {
    const leaky = defineIntegration({
      ...ACME,
      auth: { Leaky: jwtBearer({ claims: { iss: '${private_key}' } }) },
    })
    const config = { authType: 'Leaky', base_url: server.origin, private_key: toPem(rsa) }
    const { error } = (await leaky('CHECK', { config })) as CheckResult
    assert.deepEqual([error, received], ['private_key is missing.', []])
  })

  it('keeps claims with any characters, for random ones', async () => {
    const seed = randomInt(2 ** 31)
    let state = seed
    const next = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 8) % limit
    }
    const alphabet = [...'aZ09 "\\\'/+=?&%$#{}<>.\n\t\0\u2028é€漢𝄞', '\ud800', '${', 'user}', '\\n']
    for (let round = 0; round < 60; round++) {
      const value = Array.from(
        { length: 1 + next(40) },
        () => alphabet[next(alphabet.length)],
      ).join('')
      const config = { authType: 'ES256', private_key: toPem(ec), client_id: value, user: value }
      const { claims, header } = verifyJwt(await getHeaders(config), ec)
      const found = [header.kid, claims.iss, claims.sub]
      assert.deepEqual(found, [value, value, value], `seed ${seed}, round ${round}`)
    }
  })

  it('rejects a lifetime of more than an hour, or less than the tolerated skew', () => {
    for (const lifetime of [0, 60, 3_601, Number.NaN])
      assert.throws(() => jwtBearer({ claims: {}, lifetime }), RangeError)
  })

  it('passes the lint, which finds names without a value', () => {
    const auth = {
      App: jwtBearer({
        claims: { iss: '${client_email}', sub: '${missing}' },
        keyFile: ['client_email'],
        fields: { key_file: secret('Key file', { help: 'Under Keys.' }) },
        tokenUrl: 'https://acme.test/token',
      }),
    }
    const { definition } = defineIntegration({
      ...ACME,
      inputs: {},
      hosts: ['acme.test'],
      apiBaseUrl: 'https://acme.test',
      auth,
    })
    assert.deepEqual(lint(definition), ['App: ${missing} has no value.'])
  })
})

describe('jwtBearer in the sandbox', () => {
  let sandbox: TestSandbox
  let code: string
  before(async () => {
    const file = fileURLToPath(new URL('../../test/support/jwt_like.ts', import.meta.url))
    ;[sandbox, { code }] = await Promise.all([startTestSandbox(), build(file)])
  })
  after(() => sandbox.close())

  const run = (command: 'CHECK' | 'HEADERS', config: Record<string, unknown>) =>
    sandbox.run({ code, command, config, hosts: ['api.jwt.test'] })

  for (const [authType, key] of [
    ['RS256', rsa],
    ['PS256', rsa],
    ['ES256', ec],
  ] as const)
    it(`signs with ${authType}`, async () => {
      sandbox.provider.respondWith(() => reply(200, { access_token: 'issued' }))
      const now = Date.now() / 1_000
      for (const type of ['pkcs8', authType === 'ES256' ? 'sec1' : 'pkcs1'] as const) {
        const config = { authType, private_key: toPem(key, type), issuer: 'é"𝄞' }
        assert.deepEqual(await run('CHECK', config), { status: true, error: '' })
        const [login, check] = sandbox.provider.requests.slice(-2)
        const assertion = new URLSearchParams(login?.body).get('assertion') ?? ''
        const jwt = verifyJwt(assertion, key)
        assert.deepEqual([jwt.alg, jwt.claims.iss], [authType, 'é"𝄞'])
        assert.ok(Math.abs(jwt.claims.iat + 60 - now) < 30)
        assert.equal(check?.headers.authorization, 'Bearer issued')
      }
    })

  it('signs anew for each HEADERS, without an exchange', async () => {
    const config = { authType: 'Direct', private_key: toPem(ec), issuer: 'i' }
    const [one, other] = [await run('HEADERS', config), await run('HEADERS', config)]
    for (const headers of [one, other] as Record<string, string>[])
      verifyJwt(headers.Authorization?.replace('Bearer ', '') ?? '', ec)
    assert.notDeepEqual(one, other)
  })

  it('says what is wrong with a key', async () => {
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
    for (const [authType, key, error] of [
      ['ES256', toPem(p384), 'The private key is damaged, or not on the curve P-256.'],
      [
        'RS256',
        toPem(rsa).replace(/(\n.{64}\n.{64})\n.{64}\n/, '$1\n'),
        'The private key is damaged.',
      ],
      ['PS256', toPem(ec), 'This is an EC key, but PS256 needs an RSA key.'],
    ] as const) {
      const result = (await run('CHECK', {
        authType,
        private_key: key,
        issuer: 'i',
      })) as CheckResult
      assert.deepEqual(
        [result.code, result.error, result.field],
        ['invalid_credentials', error, 'private_key'],
      )
    }
  })
})
