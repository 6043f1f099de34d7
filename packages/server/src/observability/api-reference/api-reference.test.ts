import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { createSamples } from './create-samples.ts'
import { listOperations, type OpenApiDocument, type Schema } from './openapi-document.ts'

describe('GET /docs', () => {
  let t: TestApp
  let document: OpenApiDocument
  let html: string
  let headers: Readonly<Record<string, unknown>>
  before(async () => {
    t = await testApp()
    document = t.app.swagger() as unknown as OpenApiDocument
    const response = await t.call('GET', '!/docs', { token: null })
    assert.equal(response.status, 200)
    html = response.text
    headers = response.headers
  })
  after(() => t.close())

  it('shows each operation and each schema once', () => {
    const operations = document.tags.flatMap(({ name }) => listOperations(document, name))
    assert.ok(operations.length > 60)
    const names = [
      ...operations.map(({ operation }) => operation.operationId),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
    ]
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(
      names.filter((name) => !ids.includes(name)),
      [],
    )
    assert.equal(new Set(ids).size, ids.length, 'no ID appears twice')
  })

  it('is compressed once, and not sent again to a browser that has it', async () => {
    const get = (headers: Record<string, string>) => t.app.inject({ url: '/docs', headers })
    const compressed = await get({ 'accept-encoding': 'br, gzip' })
    assert.equal(compressed.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(compressed.rawPayload).toString(), html)
    const etag = String(compressed.headers.etag)
    const unchanged = await get({ 'if-none-match': etag })
    assert.deepEqual([unchanged.statusCode, unchanged.payload], [304, ''])
    assert.equal((await get({ 'accept-encoding': 'gzip;q=0' })).payload, html)
    const start = process.threadCpuUsage()
    for (let count = 0; count < 100; count += 1) await get({ 'accept-encoding': 'gzip' })
    const { user, system } = process.threadCpuUsage(start)
    assert.ok((user + system) / 100_000 < 5, `${(user + system) / 100_000} ms each`)
  })

  it('has no link to a section or file that does not exist', async () => {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`))
    const targets = new Set(
      [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url]) => url ?? ''),
    )
    assert.ok(targets.size > 100)
    for (const target of targets)
      if (target.startsWith('#')) assert.ok(ids.has(target), target)
      else assert.equal((await t.call('GET', `!${target}`, { token: null })).status, 200, target)
  })

  it('loads nothing from other origins, and runs no script', () => {
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.doesNotMatch(html, /<script|javascript:|swagger/i)
  })

  it('has a description for every field and parameter', () => {
    const parameters = document.tags
      .flatMap(({ name }) => listOperations(document, name))
      .flatMap(({ operation }) => operation.parameters ?? [])
    const missing = [
      ...parameters.filter(({ description }) => !description).map(({ name }) => name),
      ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
        listUndescribed(name, schema),
      ),
    ]
    assert.deepEqual(missing, [])
  })

  it('has samples in curl that the shell reads as one request each', () => {
    const operations = document.tags.flatMap(({ name }) => listOperations(document, name))
    const script = operations.map((entry) => createSamples(document, entry).curl).join('\n')
    const args = execFileSync('sh', ['-c', `curl() { printf '%s\\n' "$1"; }\n${script}`], {
      encoding: 'utf8',
    })
    assert.equal(args.trim().split('\n').length, operations.length)
    assert.doesNotMatch(script, /undefined|\{\w+\}/)
  })
})

/** The fields without a description, except references, whose schema has one. */
function listUndescribed(path: string, schema: Schema): string[] {
  const fields = Object.entries(schema.properties ?? {})
  return [
    ...(schema.items === undefined ? [] : listUndescribed(`${path}[]`, schema.items)),
    ...fields
      .filter(([, field]) => !field.description && field.$ref === undefined)
      .map(([name]) => `${path}.${name}`),
    ...fields.flatMap(([name, field]) => listUndescribed(`${path}.${name}`, field)),
  ]
}
