import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import {
  type Cleanup,
  createBundlePolicy,
  expectEgressError,
  listen,
  openEgressGateway,
} from '../../test/egress/egress-test-support.ts'
import { makeCertificate, type TestCertificate } from '../../test/egress/test-certificate.ts'

const HOST = 'api.example.com'
const ca = makeCertificate({ name: 'Test CA' })
const good = makeCertificate({ name: 'good', hosts: [HOST, '127.0.0.1'], issuer: ca })

async function serveTls(test: Cleanup, { key, cert }: TestCertificate): Promise<number> {
  const pem = key.export({ type: 'pkcs8', format: 'pem' })
  const server = createServer({ key: pem, cert }, (request, response) => {
    const { servername } = request.socket as TLSSocket
    response.end(JSON.stringify({ servername, host: request.headers.host }))
  })
  return await listen(test, server)
}

const resolve = async (): Promise<{ address: string; family: number }[]> => [
  { address: '127.0.0.1', family: 4 },
]

describe('TLS of the egress gateway', () => {
  const defaultCertificates = getCACertificates('default')
  before(() => setDefaultCACertificates([...defaultCertificates, ca.cert]))
  after(() => setDefaultCACertificates(defaultCertificates))

  it('dials the validated address and uses the host as the server name', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://api.example.com:${port}/`
    const { body } = await openEgressGateway(test, { resolve }).request(
      { method: 'GET', url },
      createBundlePolicy(),
    )
    assert.deepEqual(JSON.parse(Buffer.from(body).toString()), {
      servername: 'api.example.com',
      host: `api.example.com:${port}`,
    })
  })

  it('omits the trailing dot of a host from the server name', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://API.example.com.:${port}/`
    const { body } = await openEgressGateway(test, { resolve }).request(
      { method: 'GET', url },
      createBundlePolicy(),
    )
    assert.equal(JSON.parse(Buffer.from(body).toString()).servername, 'api.example.com')
  })

  it('accepts a certificate for an address', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://127.0.0.1:${port}/`
    const { body } = await openEgressGateway(test).request(
      { method: 'GET', url },
      createBundlePolicy(),
    )
    assert.equal(JSON.parse(Buffer.from(body).toString()).servername, false)
  })

  it('rejects certificates that do not match the host', async (test) => {
    const hosts = [HOST]
    const cases: readonly [string, TestCertificate][] = [
      [
        'ERR_TLS_CERT_ALTNAME_INVALID',
        makeCertificate({ name: HOST, hosts: ['other.example.com'], issuer: ca }),
      ],
      [
        'CERT_HAS_EXPIRED',
        makeCertificate({ name: 'late', hosts, issuer: ca, expiresInSeconds: -60 }),
      ],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', makeCertificate({ name: 'self', hosts })],
    ]
    for (const [systemCode, options] of cases) {
      const port = await serveTls(test, options)
      const url = `https://api.example.com:${port}/`
      const request = openEgressGateway(test, { resolve }).request(
        { method: 'GET', url },
        createBundlePolicy(),
      )
      const error = await expectEgressError(request)
      assert.deepEqual([error.code, error.systemCode], ['unreachable', systemCode])
    }
  })

  it('rejects a certificate of the address when a host was requested', async (test) => {
    const port = await serveTls(
      test,
      makeCertificate({ name: 'address', hosts: ['127.0.0.1'], issuer: ca }),
    )
    const url = `https://api.example.com:${port}/`
    const request = openEgressGateway(test, { resolve }).request(
      { method: 'GET', url },
      createBundlePolicy(),
    )
    assert.equal((await expectEgressError(request)).systemCode, 'ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('trusts additional certificates of the environment, but does not let it disable verification', async (test) => {
    const port = await serveTls(test, good)
    const bad = await serveTls(test, makeCertificate({ name: 'rogue', hosts: [HOST] }))
    const folder = mkdtempSync(join(tmpdir(), 'linchpin-egress-'))
    test.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'ca.pem'), ca.cert)
    const script = join(folder, 'child.mjs')
    writeFileSync(
      script,
      `import { createEgressGateway } from ${JSON.stringify(new URL('./egress-gateway.ts', import.meta.url).href)}
      import { parseAllowList } from ${JSON.stringify(new URL('./address.ts', import.meta.url).href)}
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
      const gateway = createEgressGateway({ allow: parseAllowList('127.0.0.1'), resolve })
      const policy = ${JSON.stringify(createBundlePolicy())}
      for (const port of [${port}, ${bad}]) {
        const request = { method: 'GET', url: 'https://api.example.com:' + port + '/' }
        const done = gateway.request(request, policy)
        console.log(await done.then(({ status }) => status, ({ systemCode }) => systemCode))
      }
      await gateway.close()`,
    )
    const env = {
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: 'http://127.0.0.1:1',
      HTTP_PROXY: 'http://127.0.0.1:1',
    }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    assert.deepEqual(stdout.trim().split('\n'), ['200', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
  })
})
