import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { type Cleanup, failure, listen, openGate, policy } from './testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'linchpin-gate-'))
const inFolder = (name: string): string => join(folder, name)

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

/** A certificate for these names, of our own CA or signed by nobody. */
function certificate(name: string, names: string, signed = true): ServerOptions {
  openssl(
    ...['req', '-x509', ...NEW_KEY, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`],
    ...(signed ? ['-CA', 'ca.pem', '-CAkey', 'ca.key'] : []),
    ...['-keyout', `${name}.key`, '-out', `${name}.pem`],
  )
  return { key: readFileSync(inFolder(`${name}.key`)), cert: readFileSync(inFolder(`${name}.pem`)) }
}

async function serveTls(test: Cleanup, options: ServerOptions): Promise<number> {
  const server = createServer(options, (request, response) => {
    const { servername } = request.socket as TLSSocket
    response.end(JSON.stringify({ servername, host: request.headers.host }))
  })
  return await listen(test, server)
}

const resolve = async (): Promise<{ address: string; family: number }[]> => [
  { address: '127.0.0.1', family: 4 },
]

describe('TLS', () => {
  const usual = getCACertificates('default')
  let good: ServerOptions = {}

  before(() => {
    const ca = ['-addext', 'keyUsage=critical,keyCertSign', '-subj', '/CN=Test CA']
    openssl('req', '-x509', ...NEW_KEY, ...ca, '-keyout', 'ca.key', '-out', 'ca.pem')
    good = certificate('good', 'DNS:api.example.com,IP:127.0.0.1')
    setDefaultCACertificates([...usual, readFileSync(inFolder('ca.pem'), 'utf8')])
  })
  after(() => {
    setDefaultCACertificates(usual)
    rmSync(folder, { recursive: true })
  })

  it('dials the judged address and still speaks of the host', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://api.example.com:${port}/`
    const { body } = await openGate(test, { resolve }).request({ method: 'GET', url }, policy())
    assert.deepEqual(JSON.parse(Buffer.from(body).toString()), {
      servername: 'api.example.com',
      host: `api.example.com:${port}`,
    })
  })

  it('leaves the dot at the end of a host out of the server name', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://API.example.com.:${port}/`
    const { body } = await openGate(test, { resolve }).request({ method: 'GET', url }, policy())
    assert.equal(JSON.parse(Buffer.from(body).toString()).servername, 'api.example.com')
  })

  it('accepts a certificate for an address', async (test) => {
    const port = await serveTls(test, good)
    const url = `https://127.0.0.1:${port}/`
    const { body } = await openGate(test).request({ method: 'GET', url }, policy())
    assert.equal(JSON.parse(Buffer.from(body).toString()).servername, false)
  })

  it('refuses certificates that do not prove the host', async (test) => {
    const cases: readonly [string, ServerOptions][] = [
      ['ERR_TLS_CERT_ALTNAME_INVALID', certificate('other', 'DNS:other.example.com')],
      ['DEPTH_ZERO_SELF_SIGNED_CERT', certificate('self', 'DNS:api.example.com', false)],
    ]
    for (const [systemCode, options] of cases) {
      const port = await serveTls(test, options)
      const url = `https://api.example.com:${port}/`
      const asked = openGate(test, { resolve }).request({ method: 'GET', url }, policy())
      const error = await failure(asked)
      assert.deepEqual([error.code, error.systemCode], ['unreachable', systemCode])
    }
  })

  it('refuses a certificate of the address when a host was asked for', async (test) => {
    const port = await serveTls(test, certificate('address', 'IP:127.0.0.1'))
    const url = `https://api.example.com:${port}/`
    const asked = openGate(test, { resolve }).request({ method: 'GET', url }, policy())
    assert.equal((await failure(asked)).systemCode, 'ERR_TLS_CERT_ALTNAME_INVALID')
  })

  it('trusts what the environment adds, and does not let it switch checks off', async (test) => {
    const port = await serveTls(test, good)
    const bad = await serveTls(test, certificate('rogue', 'DNS:api.example.com', false))
    const script = inFolder('child.mjs')
    writeFileSync(
      script,
      `import { createGate } from ${JSON.stringify(new URL('./gate.ts', import.meta.url).href)}
      import { parseAllowList } from ${JSON.stringify(new URL('./allow-list.ts', import.meta.url).href)}
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
      const gate = createGate({ allow: parseAllowList('127.0.0.1'), resolve })
      const policy = ${JSON.stringify(policy())}
      for (const port of [${port}, ${bad}]) {
        const request = { method: 'GET', url: 'https://api.example.com:' + port + '/' }
        const done = gate.request(request, policy)
        console.log(await done.then(({ status }) => status, ({ systemCode }) => systemCode))
      }
      await gate.close()`,
    )
    const env = {
      ...{ NODE_EXTRA_CA_CERTS: inFolder('ca.pem'), NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      ...{
        NODE_USE_ENV_PROXY: '1',
        HTTPS_PROXY: 'http://127.0.0.1:1',
        HTTP_PROXY: 'http://127.0.0.1:1',
      },
    }
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    assert.deepEqual(stdout.trim().split('\n'), ['200', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
  })
})
