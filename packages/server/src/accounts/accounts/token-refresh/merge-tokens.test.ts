import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import { getValidCredentials } from './get-valid-credentials.ts'
import {
  createOAuthSpec,
  type RefreshTestContext,
  startRefreshTestContext,
} from './test/refresh-test-context.ts'

describe('mergeTokens with the parameters of a refresh response', () => {
  let context: RefreshTestContext
  before(async () => {
    context = await startRefreshTestContext()
  })
  after(() => context.close())

  it('overwrites parameters of earlier responses, so that a moved organization is reached at its new URL', async () => {
    const config = { instance_url: 'https://na1.example', 'team.id': 'T1', seat: 7 }
    const { id, family } = await context.account({ config })
    context.provider.extraFields = {
      instance_url: 'https://eu7.example',
      team: { id: 'T2' },
      plan: 'gold',
    }
    const { grant } = await getValidCredentials(context.node(), id)
    assert.deepEqual(await context.config(id), {
      instance_url: 'https://eu7.example',
      'team.id': 'T2',
      seat: 7,
      plan: 'gold',
      scope: 'all',
      token_type: 'Bearer',
      access_token: family.accessToken,
      refresh_token: family.refreshToken,
    })
    assert.equal(grant.config.instance_url, 'https://eu7.example')
  })

  it('never overwrites user input or secrets', async () => {
    const input_specification = { type: 'object', properties: { region: { type: 'string' } } }
    const code = createMiniBundle(createOAuthSpec(context.provider, { input_specification }))
    const { id } = await context.account({ code, config: { region: 'eu', client_id: 'mine' } })
    context.provider.extraFields = {
      region: 'us',
      client_id: 'theirs',
      client_secret: 'x',
      api_key: 'y',
    }
    await getValidCredentials(context.node(), id)
    const { region, client_id, client_secret, api_key } = await context.config(id)
    assert.deepEqual(
      [region, client_id, client_secret, api_key],
      ['eu', 'mine', undefined, undefined],
    )
  })
})
