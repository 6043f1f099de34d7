import assert from 'node:assert/strict'
import { it } from 'node:test'
import { fakeEndpoints } from './fake-endpoints.ts'

const answers = {
  endpoint: 'GET https://api.acme.test/${team}/me?v=2',
  sends: ['X-Key: ${secret}', '?key=${secret}'],
  good: { id: 1 },
}
const fine = {
  method: 'GET',
  url: new URL('https://api.acme.test/t-1/me?v=2&key=k&more=1'),
  headers: { 'x-key': 'k' },
  body: '',
}
const ask = (more: Partial<typeof fine>, outcome: 'good' | 'bad' = 'good') => {
  const fake = fakeEndpoints(answers, outcome, { secret: 'k', team: 't-1' })
  const { status, body } = fake.answer({ ...fine, ...more })
  return { status, body, faults: fake.faults }
}

it('gives the good answer only to the request that is documented, with the credentials', () => {
  assert.deepEqual(ask({}), { status: 200, body: { id: 1 }, faults: [] })
  assert.deepEqual(ask({}, 'bad'), { status: 401, body: {}, faults: [] })
})

it('refuses credentials that are missing or in another place, and says which', () => {
  const url = new URL('https://api.acme.test/t-1/me?v=2&key=x')
  const { status, faults } = ask({ headers: { 'x-key': 'kk' }, url })
  const lacks = ['header X-Key', 'query key'].map((what) => `GET /t-1/me lacks the right ${what}`)
  assert.deepEqual([status, faults], [401, lacks])
})

it('knows nothing but its endpoints: method, host, path and documented query', () => {
  for (const more of [
    { method: 'POST' },
    { url: new URL('https://api.acme.test/t-2/me?v=2&key=k') },
    { url: new URL('https://other.test/t-1/me?v=2&key=k') },
    { url: new URL('https://api.acme.test/t-1/me?v=3&key=k') },
  ]) {
    const { status, faults } = ask(more)
    assert.equal(status, 404)
    assert.match(faults.join(), /which the fixtures do not describe/)
  }
})
