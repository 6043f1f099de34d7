import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadCatalogue } from '../index.ts'
import { getCatalogueScopeLabel, listCatalogueScopeLabels } from './scope-labels.ts'

/** Scopes that the connect page omits without a label. */
const TECHNICAL = ['openid', 'offline', 'offline_access', 'refresh_token', 'oauth']

describe('getCatalogueScopeLabel', async () => {
  const { entries } = await loadCatalogue()

  it('has a label for every scope that an integration of the catalogue requests', () => {
    for (const { key, versions } of entries)
      for (const scope of versions.flatMap(({ spec }) => listScopes(spec)))
        if (!TECHNICAL.includes(scope))
          assert.ok(getCatalogueScopeLabel(key, scope), `${key}: ${scope}`)
  })

  it('has short, complete labels for integrations of the catalogue only', () => {
    const keys = new Set(entries.map(({ key }) => key))
    for (const [key, labels] of listCatalogueScopeLabels()) {
      assert.ok(keys.has(key), key)
      for (const [scope, { en, de }] of labels)
        for (const text of [scope, en, de]) {
          assert.ok(text !== '' && text.length <= 200 && !text.includes('|'), `${key}: ${scope}`)
          assert.doesNotMatch(text, /[.<>]$|\b(?:du|dein\w*|dir|dich)\b/)
        }
    }
  })

  it('is undefined for an unknown integration or scope', () => {
    assert.equal(getCatalogueScopeLabel('github', 'toString'), undefined)
    assert.equal(getCatalogueScopeLabel('constructor', 'repo'), undefined)
  })
})

function listScopes(spec: string): string[] {
  const { auth_specification: authTypes } = JSON.parse(spec)
  return Object.values<{ default_scopes?: string[] }>(authTypes).flatMap(
    ({ default_scopes = [] }) => default_scopes,
  )
}
