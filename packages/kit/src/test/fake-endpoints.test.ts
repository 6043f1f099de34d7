import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createFakeEndpoints } from './fake-endpoints.ts'

const fixture = {
  endpoint: 'GET https://api.acme.test/${team}/me?v=2',
  sends: ['X-Key: ${secret}', '?key=${secret}'],
  good: { id: 1 },
}
const validRequest = {
  method: 'GET',
  url: new URL('https://api.acme.test/t-1/me?v=2&key=k&more=1'),
  headers: { 'x-key': 'k' },
  body: '',
}
const sendRequest = (overrides: Partial<typeof validRequest>, outcome: 'good' | 'bad' = 'good') => {
  const fake = createFakeEndpoints(fixture, outcome, { secret: 'k', team: 't-1' })
  const { status, body } = fake.respond({ ...validRequest, ...overrides })
  return { status, body, errors: fake.errors }
}

it('createFakeEndpoints: sends the success response only to the documented request with the credentials', () => {
  assert.deepEqual(sendRequest({}), { status: 200, body: { id: 1 }, errors: [] })
  assert.deepEqual(sendRequest({}, 'bad'), { status: 401, body: {}, errors: [] })
})

it('createFakeEndpoints: rejects missing or misplaced credentials, and reports which', () => {
  const url = new URL('https://api.acme.test/t-1/me?v=2&key=x')
  const { status, errors } = sendRequest({ headers: { 'x-key': 'kk' }, url })
  const expectedErrors = ['header X-Key', 'query key'].map(
    (part) => `GET /t-1/me does not send the expected ${part}`,
  )
  assert.deepEqual([status, errors], [401, expectedErrors])
})

it('createFakeEndpoints: responds to documented endpoints only: method, host, path and query', () => {
  for (const overrides of [
    { method: 'POST' },
    { url: new URL('https://api.acme.test/t-2/me?v=2&key=k') },
    { url: new URL('https://other.test/t-1/me?v=2&key=k') },
    { url: new URL('https://api.acme.test/t-1/me?v=3&key=k') },
  ]) {
    const { status, errors } = sendRequest(overrides)
    assert.equal(status, 404)
    assert.match(errors.join(), /which the fixtures do not describe/)
  }
})
