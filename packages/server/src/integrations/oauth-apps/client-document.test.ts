import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getClientDocumentUrl } from './client-document.ts'

const WORKSPACE_ID = 'wsp_01kahn2s6ke2vb7gq4yq1c0m9t'

describe('getClientDocumentUrl', () => {
  const get = (baseUrl: string, clientMetadataUrl?: string) =>
    getClientDocumentUrl({ baseUrl: () => baseUrl, clientMetadataUrl }, WORKSPACE_ID)

  it('is below a public URL', () => {
    for (const baseUrl of [
      'https://connect.example.com',
      'https://example.com/sub',
      'https://8.8.8.8',
    ])
      assert.equal(get(baseUrl), `${baseUrl}/oauth-client/${WORKSPACE_ID}.json`)
  })

  it('does not exist where authorization servers cannot reach it', () => {
    for (const baseUrl of [
      'http://localhost:3000',
      'https://localhost',
      'https://app.localhost',
      'https://127.0.0.1',
      'https://10.0.0.7',
      'https://192.168.1.2:8443',
      'https://169.254.169.254',
      'https://[::1]',
      'https://[fd00::1]',
      'https://intranet',
      'https://linchpin.internal',
      'https://box.home.arpa',
      'https://box.local.',
    ])
      assert.equal(get(baseUrl), undefined, baseUrl)
  })

  it('is the copy that the operator names, for one workspace or for each', () => {
    const copy = 'https://static.example.com/client.json'
    assert.equal(get('http://localhost:3000', copy), copy)
    const perWorkspace = 'https://static.example.com/{workspaceId}.json'
    const expected = `https://static.example.com/${WORKSPACE_ID}.json`
    assert.equal(get('http://localhost:3000', perWorkspace), expected)
  })
})
