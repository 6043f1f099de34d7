import assert from 'node:assert/strict'
import { it } from 'node:test'
import { bearer, type Definition, defineIntegration, oauth2, secret, text } from '../index.ts'
import { lintPlaceholders } from './placeholders.ts'

const VALID = {
  key: 'acme',
  name: 'Acme',
  category: 'OTHER',
  version: '1.0.0',
  docs: 'https://acme.test/docs',
  hosts: ['api.acme.test'],
  auth: { Token: bearer({ fields: { token: secret('Token', { help: 'In the settings.' }) } }) },
  check: { path: '/me' },
} as const

const find = (overrides: object) =>
  lintPlaceholders(defineIntegration({ ...VALID, ...overrides } as Definition).definition).map(
    (sentence) => sentence.split(' is the placeholder')[0],
  )

it('lintPlaceholders: finds a placeholder wherever an author left it, under the name that the author wrote', () => {
  assert.deepEqual(find({}), [])
  assert.deepEqual(find({ docs: 'https://www.example.com/docs/auth' }), ['docs'])
  assert.deepEqual(find({ docs: 'https://EXAMPLE.org' }), ['docs'])
  const help = ' explain where to find it'
  assert.deepEqual(find({ inputs: { team: text('Team', { help }) } }), ['inputs.team.help'])
  const i18n = { de: { help: 'Explain where to find it.' } }
  assert.deepEqual(find({ inputs: { team: text('Team', { i18n }) } }), ['inputs.team.i18n.de.help'])
  const hint = 'State what the credentials must be allowed to do.'
  const check = { path: '/me', errors: [{ status: 402 }, { status: 403, hint }] }
  assert.deepEqual(find({ check }), ['check.errors.1.hint'])
  const urls = {
    authorizationUrl: 'https://acme.test/authorize',
    tokenUrl: 'https://${team}.acme.test/placeholder/token',
  }
  assert.deepEqual(find({ auth: { OAuth2: oauth2({ ...urls, check }) } }), [
    'auth.OAuth2.check.errors.1.hint',
    'auth.OAuth2.tokenUrl',
  ])
})

it('lintPlaceholders: accepts an example in an empty field, and hosts that only resemble the placeholder', () => {
  assert.deepEqual(
    find({
      docs: 'https://example.com.acme.test/docs',
      inputs: {
        url: text('Shop', { placeholder: 'https://shop.example.com', help: 'Explain it.' }),
      },
    }),
    [],
  )
})
