// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { createMiniBundle, MINI_SPEC } from '../../packages/server/test/mini-bundle.ts'
import { type TestContext, testContext } from '../../packages/server/test/test-context.ts'

const folder = import.meta.dirname
const generated = path.join(folder, 'generated')
const run = promisify(execFile)
const bin = (name: string) => path.join(folder, 'node_modules/.bin', name)

/** What the calls of each client return. */
const EXPECTED = {
  email: 'owner@localhost',
  authTypes: ['Api Key'],
  check: true,
  refusal: null,
  statuses: ['active'],
  hasNextPage: false,
  categories: ['TICKETING', 'CRM'],
  lastLink: 'Customers',
  answer: { method: 'GET', url: '/api/repos/acme%2Fdesk?page=2' },
  error: 'integration_account_not_found',
  agent: ['approve', 'read_only', 0, false],
  revocation: null,
}

describe('Clients that are generated from the OpenAPI document', () => {
  let t: TestContext
  let baseUrl: string
  let definitionId: string
  before(async () => {
    t = await testContext()
    t.stubServer.serve('/api/repos/acme%2Fdesk', ({ method, url }, response) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, url })),
    )
    const definition = await t.createDefinition({ code: createMiniBundle(createSpec(t)) })
    definitionId = definition.integrationDefinitionId
    baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
    await rm(generated, { recursive: true, force: true })
    await mkdir(generated, { recursive: true })
    await writeFile(path.join(generated, 'openapi.json'), JSON.stringify(t.app.swagger()))
    const options = { cwd: generated }
    const hey = [
      '--input',
      'openapi.json',
      '--output',
      'hey-api',
      '--client',
      '@hey-api/client-fetch',
    ]
    await Promise.all([
      run(
        bin('openapi-typescript'),
        ['openapi.json', '--output', 'openapi-typescript.ts'],
        options,
      ),
      run(bin('openapi-ts'), hey, options),
    ])
  })
  after(async () => {
    await t.close()
    await rm(generated, { recursive: true, force: true })
  })

  it('compile in strict mode, and so do calls of each', async () => {
    const { stdout } = await run(path.resolve('node_modules/.bin/tsc'), ['--project', folder])
    assert.equal(stdout, '')
  })

  for (const name of ['openapi-fetch', 'hey-api'])
    it(`${name}: the calls return what a real server answers`, async () => {
      const outfile = path.join(generated, `${name}.mjs`)
      const entryPoints = [path.join(folder, 'calls', `${name}.ts`)]
      await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' })
      const { call } = await import(outfile)
      assert.deepEqual(await call(baseUrl, t.token, definitionId), EXPECTED)
    })
})

/** A spec whose accounts can be used through the proxy without running the bundle. */
function createSpec({ stubServer }: TestContext) {
  const { 'Api Key': apiKey } = MINI_SPEC.auth_specification
  const headers = { 'x-api-key': '${api_key}' }
  return {
    api_base_url: `${stubServer.url}/api`,
    auth_specification: { 'Api Key': { ...apiKey, headers, 'x-headers': 'complete' } },
  }
}
