import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { generateAccessToken } from '../../access/auth/access-token.ts'
import { PARSERS } from '../../app/start/environment.ts'
import { ConfigError, parseConfig } from './config.ts'

const KEY = `one:${Buffer.alloc(32, 1).toString('base64')}`
const TOKEN = generateAccessToken()

type ParsedConfig = ReturnType<typeof parseConfig<unknown, unknown>>
const parse = (env: Record<string, string>) => parseConfig(env, PARSERS)
const parseErrors = (env: Record<string, string>): readonly string[] => {
  try {
    parse(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.errors
  }
  return []
}

const REGISTRY_KEY = Buffer.alloc(32, 9).toString('base64url')
const PRIVATE_PEM = generateKeyPairSync('ed25519')
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString()

describe('parseConfig', () => {
  it('has defaults that suffice for a first start', () => {
    const { port, host, publicUrl, dataDir, databaseUrl, token, ownerEmail, keys } = parse({})
    assert.deepEqual(
      { port, host, publicUrl, dataDir, databaseUrl, token, ownerEmail, keys },
      {
        port: 3000,
        host: '127.0.0.1',
        publicUrl: undefined,
        dataDir: './data',
        databaseUrl: undefined,
        token: undefined,
        ownerEmail: 'owner@localhost',
        keys: undefined,
      },
    )
    assert.ok(Object.isFrozen(parse({})))
  })

  it('treats an empty setting as unset, and trims white space', () => {
    assert.deepEqual(parseErrors({ PORT: '', LINCHPIN_TOKEN: ' ', DATABASE_URL: '' }), [])
    assert.equal(parse({ PORT: ' 8080 ' }).port, 8080)
  })

  it('accepts a removed setting only with the value that changed nothing', () => {
    assert.deepEqual(parseErrors({ LINCHPIN_WORKERS: '1' }), [])
    assert.match(parseErrors({ LINCHPIN_WORKERS: '4' }).join(), /^LINCHPIN_WORKERS: was removed/)
  })

  const validSettings: [string, string, keyof ParsedConfig, unknown][] = [
    ['PORT', '0', 'port', 0],
    ['PORT', '65535', 'port', 65_535],
    ['LINCHPIN_PUBLIC_URL', 'https://a.example/', 'publicUrl', 'https://a.example'],
    ['LINCHPIN_PUBLIC_URL', 'https://a.example/sub//', 'publicUrl', 'https://a.example/sub'],
    ['LINCHPIN_PUBLIC_URL', 'http://localhost:3000', 'publicUrl', 'http://localhost:3000'],
    ['LINCHPIN_PUBLIC_URL', 'http://a.localhost:1', 'publicUrl', 'http://a.localhost:1'],
    ['LINCHPIN_PUBLIC_URL', 'http://[::1]:1', 'publicUrl', 'http://[::1]:1'],
    [
      'LINCHPIN_CLIENT_METADATA_URL',
      'https://a.example/{workspaceId}.json',
      'clientMetadataUrl',
      'https://a.example/{workspaceId}.json',
    ],
    ['LINCHPIN_TRUST_PROXY', '10.0.0.0/8, ::1', 'trustProxy', ['10.0.0.0/8', '::1']],
    ['LINCHPIN_TOKEN', TOKEN, 'token', TOKEN],
    ['LINCHPIN_EGRESS_PROXY_RESOLVES', '1', 'egressProxyResolves', true],
    ['LINCHPIN_EGRESS_PROXY_RESOLVES', 'false', 'egressProxyResolves', false],
    ['LINCHPIN_EVENT_DAYS', '90', 'eventDays', 90],
    ['LINCHPIN_ATTEMPT_DAYS', '7', 'attemptDays', 7],
    ['LINCHPIN_CHECK_INTERVAL', '0', 'checkInterval', 0],
    ['LINCHPIN_CHECK_INTERVAL', '900', 'checkInterval', 900],
    ['LINCHPIN_TOMBSTONE_DAYS', '30', 'tombstoneDays', 30],
    ['LINCHPIN_ENDED_LINK_DAYS', '30', 'endedLinkDays', 30],
    ['LINCHPIN_REVOKED_TOKEN_DAYS', '30', 'revokedTokenDays', 30],
    ['LINCHPIN_UNUSED_BUNDLE_DAYS', '30', 'unusedBundleDays', 30],
    ['LINCHPIN_ISOLATION', 'require', 'isolation', 'require'],
    ['LINCHPIN_JAIL', 'require', 'isolation', 'require'],
    ['LINCHPIN_SANDBOX', '0', 'acmeSandbox', false],
    ['LINCHPIN_DRAIN_DELAY', '10', 'drainDelayMs', 10_000],
    ['LINCHPIN_DRAIN_TIMEOUT', '60', 'drainTimeoutMs', 60_000],
    ['LINCHPIN_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['LINCHPIN_LOG_FORMAT', 'pretty', 'logFormat', 'pretty'],
    ['LINCHPIN_OWNER_EMAIL', 'ada@example.com', 'ownerEmail', 'ada@example.com'],
  ]
  for (const [name, text, field, value] of validSettings)
    it(`accepts ${name}=${text.slice(0, 30)}`, () => {
      assert.deepEqual(parse({ [name]: text })[field], value)
    })

  const invalidSettings: [string, ...string[]][] = [
    ['LINCHPIN_EVENT_DAYS', '0', '366', '1.5', 'x'],
    ['LINCHPIN_ATTEMPT_DAYS', '0', '366', 'x'],
    ['LINCHPIN_CHECK_INTERVAL', '899', '604801', '-1', '1.5', 'x'],
    ['LINCHPIN_TOMBSTONE_DAYS', '0', '-1', '1.5', '100000', 'x'],
    ['PORT', 'x', '-1', '65536', '3.5', '0x10', '1e3', '123456'],
    [
      'LINCHPIN_PUBLIC_URL',
      ...['a.example', 'ftp://a.example', 'http://a.example', 'http://127.evil.example'],
      ...['https://a.example?x', 'https://a.example/#x', 'https://u:p@a.example'],
      ...['https://:p@a.example', 'http://localhost.evil.example'],
    ],
    [
      'LINCHPIN_CLIENT_METADATA_URL',
      ...['a.example/x', 'http://a.example/x', 'https://a.example', 'https://a.example/x?y'],
      ...['https://a.example/x#y', 'https://u@a.example/x'],
    ],
    [
      'LINCHPIN_TRUST_PROXY',
      ...['proxy', '*', '10.0.0.0/33', '::1/129', '1.2.3', '1.2.3.4.5', ':::', '10.0.0.1;x'],
    ],
    ['DATABASE_URL', 'mysql://x', 'x', '/var/run'],
    ['LINCHPIN_TOKEN', 'secret', 'lp_x', `${TOKEN}x`],
    ['LINCHPIN_OWNER_EMAIL', 'ada', 'a b@example.com'],
    ['LINCHPIN_KEYS', 'x', 'a:b', `${KEY},${KEY}`],
    ['LINCHPIN_EGRESS_ALLOW', 'x', '10.0.0.0/99', 'source='],
    ['LINCHPIN_EGRESS_PROXY', 'proxy:3128', 'socks5://x'],
    ['LINCHPIN_EGRESS_PROXY_RESOLVES', 'yes', '2'],
    ['LINCHPIN_REGISTRY_URL', 'x', 'file:///etc/passwd', 'https://ann:secret@acme.example/r.json'],
    [
      'LINCHPIN_REGISTRY_KEY',
      ...['x', 'A'.repeat(42), `${REGISTRY_KEY},x`, PRIVATE_PEM, ','],
      '-----BEGIN PUBLIC KEY----- x -----END PUBLIC KEY-----',
    ],
    ['LINCHPIN_ISOLATION', 'none', 'required'],
    ['LINCHPIN_WORKERS', '2', 'x'],
    ['LINCHPIN_SANDBOX', 'no', '2'],
    ['LINCHPIN_DRAIN_DELAY', '-1', '301', '1.5', '5s'],
    ['LINCHPIN_DRAIN_TIMEOUT', '0', '3601', 'x'],
    ['LINCHPIN_LOG_LEVEL', 'loud', 'INFO'],
    ['LINCHPIN_LOG_FORMAT', 'text', 'JSON'],
  ]
  for (const [name, ...texts] of invalidSettings)
    for (const text of texts)
      it(`rejects ${name}=${text.slice(0, 30)} with a sentence`, () => {
        const errors = parseErrors({
          [name]: text,
          ...(name === 'DATABASE_URL' ? { LINCHPIN_KEYS: KEY } : {}),
        })
        assert.equal(errors.length, 1, JSON.stringify(errors))
        assert.match(errors[0] ?? '', new RegExp(`^${name}: .+\\.$`))
      })

  it('reports all errors at once', () => {
    const env = Object.fromEntries(invalidSettings.map(([name, text]) => [name, text ?? '']))
    const names = parseErrors(env).map((error) => error.split(':')[0])
    assert.deepEqual([...new Set(names)].sort(), invalidSettings.map(([name]) => name).sort())
  })

  it('LINCHPIN_EMULATOR is an address of this machine, which is allowed, and needs a public URL on loopback', () => {
    const emulator = {
      LINCHPIN_EMULATOR: 'http://127.0.0.1:4250',
      LINCHPIN_EGRESS_ALLOW: '10.0.0.1, 127.0.0.1:4250',
    }
    assert.deepEqual(parseErrors(emulator), [])
    assert.deepEqual(parseErrors({ ...emulator, LINCHPIN_PUBLIC_URL: 'http://localhost:3000' }), [])
    for (const more of [
      { LINCHPIN_PUBLIC_URL: 'https://connect.example.com' },
      { LINCHPIN_EGRESS_ALLOW: '127.0.0.1:4251' },
      { LINCHPIN_EGRESS_ALLOW: '' },
      { LINCHPIN_EMULATOR: 'https://127.0.0.1:4250' },
      { LINCHPIN_EMULATOR: 'http://10.0.0.1:4250' },
      { LINCHPIN_EMULATOR: 'http://127.0.0.1' },
      { LINCHPIN_EMULATOR: 'http://127.0.0.1:4250/github' },
    ])
      assert.match(parseErrors({ ...emulator, ...more }).join(), /^LINCHPIN_EMULATOR: /)
  })

  it('LINCHPIN_REGISTRY_KEY accepts base64, DER and PEM, several of them, and is required with LINCHPIN_REGISTRY_URL', () => {
    const url = { LINCHPIN_REGISTRY_URL: 'https://acme.example/r.json' }
    assert.match(parseErrors(url).join(), /^LINCHPIN_REGISTRY_KEY: is required with/)
    const { publicKey } = generateKeyPairSync('ed25519')
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()
    const der = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    for (const text of [
      der,
      pem,
      pem.replaceAll('\n', '\\n'),
      `${REGISTRY_KEY}, ${der}`,
      pem + pem,
    ]) {
      const { registryKeys = [] } = parse({ ...url, LINCHPIN_REGISTRY_KEY: text })
      assert.ok(registryKeys.at(-1)?.equals(publicKey), text)
      assert.equal(
        registryKeys.length,
        text === der || text.length === pem.length || text.includes('\\n') ? 1 : 2,
      )
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const other = rsa.export({ format: 'pem', type: 'spki' }).toString()
    assert.match(
      parseErrors({ LINCHPIN_REGISTRY_KEY: other }).join(),
      /must be Ed25519 public keys/,
    )
  })

  it('requires LINCHPIN_KEYS with DATABASE_URL', () => {
    const env = { DATABASE_URL: 'postgres://localhost/x' }
    assert.match(parseErrors(env).join(), /^LINCHPIN_KEYS: is required with DATABASE_URL/)
    assert.deepEqual(parseErrors({ ...env, LINCHPIN_KEYS: KEY }), [])
  })

  it('never repeats a secret in an error', () => {
    const message = parseErrors({
      LINCHPIN_TOKEN: 'lp_canary',
      LINCHPIN_KEYS: 'id:canary',
      DATABASE_URL: 'mysql://u:canary@h/d',
      LINCHPIN_EGRESS_PROXY: 'socks5://u:canary@h',
    }).join('\n')
    assert.ok(message.length > 0 && !message.includes('canary'))
  })
})
