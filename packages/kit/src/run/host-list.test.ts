import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isListed } from './host-list.ts'

it('isListedHost: a star covers subdomains, but neither the domain itself nor domains with the same ending', () => {
  const hosts = ['acme.test', '*.acme.example']
  const listed = ['acme.test', 'api.acme.example', 'a.b.acme.example']
  const others = ['api.acme.test', 'acme.example', 'evilacme.example', 'acme.example.evil.test']
  assert.deepEqual(
    [...listed, ...others].filter((host) => isListed(host, hosts)),
    listed,
  )
})
