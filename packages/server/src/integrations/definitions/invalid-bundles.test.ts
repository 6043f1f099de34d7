import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import {
  countRows,
  expectError,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'

describe('POST /v1/integration_definition: 400 bundle_invalid', () => {
  let t: TestContext
  before(async () => {
    t = await testContext()
  })
  after(() => t.close())

  async function expectRejected(code: string): Promise<string> {
    const body = { name: 'Thing', sourceUrl: t.stubServer.bundle(code), integrationType: 'CRM' }
    const error = expectError(
      await t.call('POST', '/v1/integration_definition', { body }),
      'bundle_invalid',
    )
    assert.deepEqual(Object.keys(error.errors), ['sourceUrl'])
    assert.equal(error.errors.sourceUrl[0].code, 'bundle_invalid')
    assert.equal(await countRows(t, 'bundles'), 0)
    return error.message
  }
  const expectSpecRejected = (spec: unknown) => expectRejected(createMiniBundle(spec))
  const expectResultRejected = (js: string) => expectRejected(`exports.default = async () => ${js}`)
  const withField = (property: unknown) => ({
    auth_specification: { Key: { input_specification: { properties: { field: property } } } },
  })

  it('is not JavaScript', async () => {
    for (const code of [
      '<!doctype html><html></html>',
      '{ "name": "json" }',
      'exports.default = (',
    ]) {
      assert.match(await expectRejected(code), /cannot be loaded/)
    }
  })

  it('is an ES module: the message suggests CommonJS', async () => {
    assert.match(await expectRejected('export default async () => ({})'), /CommonJS/)
    assert.match(await expectRejected('import x from "axios"; export { x as main }'), /CommonJS/)
  })

  it('exports no function', async () => {
    for (const code of [
      ' ',
      'module.exports = {}',
      'exports.default = {}',
      'exports.run = () => {}',
    ]) {
      assert.match(await expectRejected(code), /function/)
    }
  })

  it('requires a missing module', async () => {
    assert.match(await expectRejected("require('left-pad')"), /left-pad/)
  })

  it('SPEC throws, loops or never settles: the message contains the reason', async () => {
    assert.match(
      await expectRejected("exports.default = () => { throw new Error('my own words') }"),
      /my own words/,
    )
    assert.match(
      await expectRejected('exports.default = () => { for (;;); }'),
      /exceeded its CPU time/,
    )
    assert.match(
      await expectRejected('exports.default = () => new Promise(() => {})'),
      /never returns/,
    )
    assert.match(
      await expectRejected('const held = []; for (;;) held.push(new Uint8Array(1e6))'),
      /memory/,
    )
    assert.match(
      await expectRejected('exports.default = () => process.exit(0)'),
      /exited its process/,
    )
  })

  it('SPEC returns no JSON or no object', async () => {
    for (const js of ['10n', '(() => { const a = {}; a.a = a; return a })()'])
      assert.match(await expectResultRejected(js), /not JSON/)
    for (const js of ['undefined', 'null', '"spec"', '[]', '7', '{}', '() => {}'])
      await expectResultRejected(js === '{}' ? '({})' : js)
  })

  it('has a spec of the wrong shape: the message contains the path', async () => {
    for (const [spec, path] of [
      [{ auth_specification: {} }, /auth_specification/],
      [{ auth_specification: [] }, /auth_specification/],
      [{ auth_specification: 'Key' }, /auth_specification/],
      [{ auth_specification: { Key: null } }, /auth_specification\.Key/],
      [{ auth_specification: { '': {} } }, /auth_specification/],
      [{ auth_specification: { Key: { headers: { a: 1 } } } }, /headers\.a/],
      [{ auth_specification: { Key: { token_url: 7 } } }, /token_url/],
      [{ auth_specification: { Key: { default_scopes: 'a b' } } }, /default_scopes/],
      [{ auth_specification: { Key: { input_specification: [] } } }, /input_specification/],
      [withField('string'), /properties\.field/],
      [withField({ pattern: 7 }), /field\.pattern/],
      [withField({ enum: 'a' }), /field\.enum/],
      [withField({ 'x-secret': 'no' }), /x-secret/],
      [withField({ format: ['password'] }), /field\.format/],
      [withField({ writeOnly: 'yes' }), /field\.writeOnly/],
      [withField({ enum: ['a'], 'x-labels': ['A'] }), /field\.x-labels/],
      [withField({ enum: ['a'], 'x-labels': { a: 7 } }), /field\.x-labels\.a/],
      [withField({ enum: ['a'], 'x-labels': { b: 'B' } }), /field\.x-labels contains "b"/],
      [withField({ 'x-labels': { b: 'B' } }), /field\.x-labels contains "b"/],
      [withField({ 'x-i18n': ['de'] }), /field\.x-i18n/],
      [withField({ 'x-i18n': { 'de-AT': { title: 'A' } } }), /field\.x-i18n/],
      [withField({ 'x-i18n': { de: 'A' } }), /field\.x-i18n\.de/],
      [withField({ 'x-i18n': { de: {} } }), /field\.x-i18n\.de/],
      [withField({ 'x-i18n': { de: { label: 'A' } } }), /field\.x-i18n\.de/],
      [withField({ 'x-i18n': { de: { title: ' ' } } }), /x-i18n\.de\.title/],
      [withField({ 'x-i18n': { de: { description: 7 } } }), /x-i18n\.de\.description/],
      [
        withField({ enum: ['a'], 'x-i18n': { de: { 'x-labels': { b: 'B' } } } }),
        /field\.x-labels contains "b"/,
      ],
      [{ ...MINI_SPEC, other_inputs: [] }, /other_inputs/],
      [{ ...MINI_SPEC, 'x-hosts': 'example.com' }, /x-hosts/],
    ] as const) {
      assert.match(await expectSpecRejected(spec), path)
    }
  })

  it('has an invalid regular expression in its spec', async () => {
    for (const pattern of ['(', '[z-a]', 'a{2,1}', '\\'])
      assert.match(
        await expectSpecRejected(withField({ type: 'string', pattern })),
        /invalid regular expression/,
      )
  })

  it('has a spec that is larger than 256 kB, too deep or has too many values', async () => {
    const longSpec = { ...MINI_SPEC, note: 'x'.repeat(256 * 1024) }
    assert.match(await expectSpecRejected(longSpec), /larger than 256 kB/)
    const deepSpec = JSON.parse(`${'{"a":'.repeat(16)}1${'}'.repeat(16)}`)
    assert.match(await expectSpecRejected({ ...MINI_SPEC, deep: deepSpec }), /deeper than 16/)
    const veryDeep = JSON.parse(`${'['.repeat(90)}1${']'.repeat(90)}`)
    assert.match(await expectSpecRejected({ ...MINI_SPEC, veryDeep }), /deeper than 16/)
    const specWithManyValues = {
      ...MINI_SPEC,
      many: Array.from({ length: 2_000 }, (_, index) => index),
    }
    assert.match(await expectSpecRejected(specWithManyValues), /more than 2,?000/)
  })

  it('accepts a spec at every limit', async () => {
    // Depth: the spec is level 1, each list adds one, the number is the last.
    const deepSpec = JSON.parse(`${'['.repeat(14)}1${']'.repeat(14)}`)
    const base = { ...MINI_SPEC, deep: deepSpec, note: '' }
    const paddingLength = 256 * 1024 - Buffer.byteLength(JSON.stringify(base))
    await t.createDefinition({
      code: createMiniBundle({ ...base, note: 'x'.repeat(paddingLength) }),
    })
    await t.database.transaction((trx) => trx.deleteFrom('definitions').execute())
    await t.database.transaction((trx) => trx.deleteFrom('bundles').execute())
  })

  it('has names that are too long for a form', async () => {
    const name = 'x'.repeat(101)
    await expectSpecRejected({ auth_specification: { [name]: {} } })
    await expectSpecRejected({
      auth_specification: { Key: { input_specification: { properties: { [name]: {} } } } },
    })
  })
})
